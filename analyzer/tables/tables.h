/* SPDX-License-Identifier: MIT */
/*
 * The tables of a report about calls and device operations, as nvprof and Nsight Systems print
 * them: API calls, GPU activities, kernels with their shapes, copies by kind, launch to run, failed
 * calls, how busy each device and stream was, operators and lines of the program (columns.def). Fed
 * record by record, bounded in memory: a duration goes into a histogram whose steps are so small
 * that a percentile is off by at most TABLES_ERROR of itself; sums, counts, minima and maxima are
 * exact, the deviation comes from sums. What does not fit into a table any more is summed up in a
 * row of its own ("others"), never dropped.
 *
 * Which steps count is the caller's business: only wanted records are fed. Rows come out sorted by
 * time, then name, so that the same trace gives the same text (view.h). Not thread-safe.
 */
#ifndef ANALYZER_TABLES_H
#define ANALYZER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "analyzer/tables/columns.h"
#include "collector/format/record.h"

#define TABLES_ERROR 0.01 /* of a percentile */

struct compiled;
struct pipeline;
struct tables;

struct tables *tables_new(void);         /* NULL when out of memory */
void tables_free(struct tables *tables); /* NULL: nothing */

/*
 * Fill only these (bit per enum tables_id), before anything is fed; all unless told. What a record
 * costs depends on it: all of them make a report about 2.5 times as dear.
 */
void tables_want(struct tables *tables, uint32_t wanted);

/* The lines of places; without it calls belong to no line. The lookup's context must outlive it. */
void tables_know(struct tables *tables, const struct lookup *lookup);

/* What is known of compiled regions and of a data set's stages; both must outlive it. */
void tables_learnt(
	struct tables *tables, const struct compiled *regions, const struct pipeline *pipeline);

/* Steps are others and told again; all: everything else is as well. */
void tables_restart(struct tables *tables, bool all);

/* The step (0: before the first one) and the thread that calls are of, from now on. */
void tables_step(struct tables *tables, uint64_t step, uint32_t thread);

/* A step of these times; tables_finish() tells when there was no memory for it. */
void tables_end_step(struct tables *tables, uint64_t step, uint64_t begin_ns, uint64_t end_ns);

/* Whether all operators are recorded from then on; they are unless told. 0 or -ENOMEM. */
int tables_cover(struct tables *tables, uint64_t from_ns, bool covered);

/* A call of the runtime or driver: LAUNCH to CALL. 0 or -ENOMEM. */
int tables_call(struct tables *tables, const struct record *call);

/*
 * An operator when it ends; those inside of it, of the same thread, have ended. counts: else it is
 * one of a time of which not all were recorded, and says only what stage that is of. 0 or -ENOMEM.
 */
int tables_op(struct tables *tables, uint32_t thread, const struct record *op, bool counts);

/* A range when it ends, as tables_op(). 0 or -ENOMEM. */
int tables_range(struct tables *tables, uint32_t thread, const struct record *range);

/* An operation of the device: DEVICE_KERNEL, DEVICE_COPY, DEVICE_SET. 0 or -ENOMEM. */
int tables_device(struct tables *tables, const struct record *operation);

/* The call that asked for an operation; of a graph launch once per operation. 0 or -ENOMEM. */
int tables_pair(struct tables *tables, const struct record *call, const struct record *operation);

/* The same, with the thread that made the call, for the ranges around it. 0 or -ENOMEM. */
int tables_work(struct tables *tables, uint32_t thread, const struct record *call,
	const struct record *operation);

/* What an allocator holds: MEMORY. 0 or -ENOMEM. */
int tables_memory(struct tables *tables, const struct record *memory);

/* Nothing more comes. 0 or -ENOMEM. */
int tables_finish(struct tables *tables);

/*
 * A stretch of time that is wanted; all together are what busy times are a share of. Without any it
 * is the time from the first record fed to the last.
 */
void tables_span(struct tables *tables, uint64_t begin_ns, uint64_t end_ns);

/* Whether any record of the device side was fed. */
bool tables_measured(const struct tables *tables);

#endif
