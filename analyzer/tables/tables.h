/* SPDX-License-Identifier: MIT */
/*
 * The tables of a report about calls and device operations, as nvprof and Nsight Systems print
 * them: API calls, GPU activities, kernels with their shapes, copies by kind, launch to run, failed
 * calls, and how busy each device and stream was (columns.def). Fed record by record, bounded in
 * memory: a duration goes into a histogram whose steps are so small that a percentile is off by at
 * most TABLES_ERROR of itself; sums, counts, minima and maxima are exact, the deviation comes from
 * sums. What does not fit into a table any more is summed up in a row of its own ("others"), never
 * dropped.
 *
 * Which steps count is the caller's business: only wanted records are fed. Rows come out sorted by
 * time, then name, so that the same trace gives the same text (view.h). Not thread-safe.
 */
#ifndef ANALYZER_TABLES_H
#define ANALYZER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/tables/columns.h"
#include "collector/format/record.h"

#define TABLES_ERROR 0.01 /* of a percentile */

struct tables;

struct tables *tables_new(void);         /* NULL when out of memory */
void tables_free(struct tables *tables); /* NULL: nothing */

/*
 * Fill only these (bit per enum tables_id), before anything is fed; all unless told. What a record
 * costs depends on it: all of them make a report about 1.6 times as dear.
 */
void tables_want(struct tables *tables, uint32_t wanted);

/* Empty again, to be filled with the same tables. */
void tables_restart(struct tables *tables);

/* A call of the runtime or driver: LAUNCH to CALL. 0 or -ENOMEM. */
int tables_call(struct tables *tables, const struct record *call);

/* An operation of the device: DEVICE_KERNEL, DEVICE_COPY, DEVICE_SET. 0 or -ENOMEM. */
int tables_device(struct tables *tables, const struct record *operation);

/* The call that asked for an operation; of a graph launch once per operation. 0 or -ENOMEM. */
int tables_pair(struct tables *tables, const struct record *call, const struct record *operation);

/*
 * A stretch of time that is wanted; all together are what busy times are a share of. Without any it
 * is the time from the first record fed to the last.
 */
void tables_span(struct tables *tables, uint64_t begin_ns, uint64_t end_ns);

/* Whether any record of the device side was fed. */
bool tables_measured(const struct tables *tables);

#endif
