/* SPDX-License-Identifier: MIT */
/*
 * One process of a trace, record by record: threads, streams, operators, the lines
 * behind calls, and training steps; at the end the sums from which the report is made.
 * Records come in the order of their ends (merge.h), but those of the device, which come
 * when they come.
 *
 * The first MODEL_PREFIX records are looked at before anything is counted, to learn
 * which threads launch work and, when the program marks no steps, what repeats. Then
 * each record is counted once: calls become pieces of the host's time (host.h), work for
 * the device (device.h) and spots (spot.h). A wait for the device closes the stretch of time
 * before it; it is accounted (sweep.h) once the device's records of all that was asked for
 * in it are there (join.h), or have been given up, or are not to be expected. A call is
 * named by the operators around it, whose records come later.
 *
 * Threads that launch nothing (a pinning thread, a logger) are counted but do not shape
 * the account. Memory is bounded, whatever the length of the trace. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_H
#define ANALYZER_MODEL_H

#include "analyzer/model/state.h"

/* NULL when out of memory. The lookup's context and the options' must outlive the model. */
struct model *model_new(const struct lookup *lookup, const struct model_options *options);
void model_free(struct model *model);

/*
 * Only what lies within these times is there: calls are counted as far as they do, operators and
 * ranges that end behind are not. Before the first record.
 */
void model_set_window(struct model *model, uint64_t from_ns, uint64_t to_ns);

/* The next records, which are of one thread. 0 or -ENOMEM. */
int model_add(struct model *model, uint32_t thread, const struct record *records, size_t count);

/*
 * An operator that the trace does not have but the same call in other steps has (analyzer/carry);
 * in the order of ends with the records. 0 or -ENOMEM.
 */
int model_carry(struct model *model, uint32_t thread, const struct record *op);

/*
 * What the device reports needs no order, neither among itself nor with the calls, and does not
 * come through model_add(). An operation is work of the device whether or not its call is known.
 */
static inline bool model_is_device(const struct record *record)
{
	return (record->kind >= RECORD_DEVICE_KERNEL && record->kind <= RECORD_DEVICE_MEMORY) ||
	       record->kind == RECORD_SOURCE_STATE;
}

/* Records for which model_is_device() is true, at any time. 0 or -ENOMEM. */
int model_add_device(struct model *model, const struct record *records, size_t count);

/* The same of some, of which more follow at once: the last with model_add_device(). */
int model_take_device(struct model *model, const struct record *records, size_t count);

/* No more records. 0 or -ENOMEM. Figures are complete after this. */
int model_finish(struct model *model);

#endif
