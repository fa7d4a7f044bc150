/* SPDX-License-Identifier: MIT */
/*
 * What each kind of record is for the tables that have files of their own; all of it 0 or -ENOMEM.
 * Internal to this room, not thread-safe.
 *
 * LINES, THREADS: what each line of the program, each of its threads called, and what the device
 * did because of it.
 *
 * RANGES, STEP_PHASES: stretches of a thread's time with what the device did for the calls inside
 * of them. The device reports late, so what has ended waits until RANGES_PENDING others have.
 *
 * MODULES: their calls, what they took themselves and with the modules inside of them, and what
 * the device did for that. Calls come when they end, so each thread keeps those that may turn out
 * to lie inside of another one, MODULES_KEPT at most: a call around more takes some for its own.
 *
 * OPERATORS, OPERATORS_BY_SHAPE, OPERATOR_KERNELS: what the device did for operators. Work belongs
 * to the innermost one around the call that asked for it, on the thread that made it. Work of calls
 * that no ended operator was around waits until BENEATH_WAITING others have come: an operator
 * around more than that which is in no other may miss the first.
 *
 * STEP_TRACE, PERF_SUMMARY: steps one by one and their costs.
 *
 * OVERVIEW, DISTRIBUTION: what a run's time went by, as unions: whatever ran at the same time, on
 * several threads or streams or inside of another, counts once.
 */
#ifndef ANALYZER_TABLES_FEED_H
#define ANALYZER_TABLES_FEED_H

#include "analyzer/stages/stages.h"
#include "analyzer/tables/key.h"

struct tables;
struct tables_beneath;
struct tables_modules;
struct tables_pending;
struct tables_row;

/* The histograms of a row; those from LINES_LAUNCHES on in the order of the columns. */
enum lines_hist {
	LINES_CALLS, /* of the host, all of them */
	LINES_LAUNCHES,
	LINES_COPIES,
	LINES_SYNCS,
	LINES_ALLOCATIONS,
	LINES_OPERATORS, /* without what is inside of them */
	LINES_DEVICE,
	LINES_BACKWARD, /* the same, of functions that its operators put into the backward pass */
};

int lines_call(struct tables *tables, const struct record *call);
int lines_op(struct tables *tables, const struct record *op, uint64_t self_ns);
/* The row of a place; NULL: no memory. */
struct tables_row *lines_row(struct tables *tables, uint32_t place);
int lines_pair(struct tables *tables, const struct record *call, const struct record *operation);

/* The same by threads; a call is of the thread that tables_step() has told. */
int lines_thread_call(struct tables *tables, const struct record *call);
int lines_thread_op(struct tables *tables, uint32_t thread, uint64_t self_ns);
int lines_thread_work(struct tables *tables, uint32_t thread, const struct record *operation);

#define RANGES_PENDING 16384u
#define RANGES_NEAR    16u   /* of these */
#define RANGES_OTHER   0xffu /* key of the phase that is none */

/* The histograms of a row. */
enum ranges_hist {
	RANGES_HOST,
	RANGES_SPAN,   /* from the begin of the first operation to the end of the last */
	RANGES_DEVICE, /* the lengths of the operations added up */
	RANGES_HISTS,
	MODULES_SELF = RANGES_HISTS, /* of a module, without those inside of it */
	MODULES_INSIDE,              /* the device's, for modules inside of it */
};

/* RANGE and OP, when they end. */
int ranges_end(struct tables *tables, uint32_t thread, const struct record *range);
int ranges_op(struct tables *tables, uint32_t thread, const struct record *op);

/*
 * One more in a row of either of these tables, or of another one whose histograms begin alike; and
 * what is to be counted for a row once the device has reported it.
 */
int ranges_count(struct tables *tables, struct tables_row *row, const struct stage_span *span);
int ranges_wait(struct tables *tables, const struct tables_pending *pending);

/*
 * An operator of this row (NULL: none is wanted) ended: what it put into the backward pass, or what
 * a function there did for the operator behind it and its line. The first operator around a
 * function is part of it.
 */
int ranges_link(
	struct tables *tables, uint32_t thread, const struct record *op, struct tables_row *row);

/* Nothing more comes. */
int ranges_finish(struct tables *tables);

#define MODULES_KEPT 4096u

void modules_release(struct tables_modules *modules);

/* A RANGE of RANGE_MODULE, when it ends. */
int modules_end(struct tables *tables, uint32_t thread, const struct record *call);

/* An operator has ended which took so much without those inside of it. */
int operators_end(
	struct tables *tables, uint32_t thread, const struct record *op, uint64_t self_ns);

#define BENEATH_WAITING 16384u
#define BENEATH_TURNS   65536u

/* The histograms of an operator. */
enum beneath_hist {
	OPERATOR_SELF,
	OPERATOR_TOTAL,
	OPERATOR_BACKWARD, /* of the functions that it put into the backward pass, on the host */
	OPERATOR_BEHIND,   /* the device's, for these */
	OPERATOR_DEVICE,   /* of the device, with what is inside; each operator once all is known */
};

void beneath_release(struct tables_beneath *beneath);

/* Whether calls that begin from now on are of a time with all operators. */
int beneath_cover(struct tables_beneath *beneath, uint64_t from_ns, bool covered);

/* An operator of this row, and of the one that is the whole of it, has ended. */
int beneath_op(
	struct tables *tables, uint32_t thread, const struct record *op, struct tables_row *row);

/* An operation with its times, and the call that asked for it. */
int beneath_work(struct tables *tables, uint32_t thread, const struct record *call,
	const struct record *operation);

/* Nothing more comes. */
int beneath_finish(struct tables *tables);

/* A stretch of a stage, which lies in some step. */
int steps_stage(struct tables *tables, const struct stage_span *span);

/* Something on the host took this long; all of it 0 or -ENOMEM. */
int overview_add(
	struct tables *tables, enum overview_part part, uint64_t begin_ns, uint64_t end_ns);
int overview_call(struct tables *tables, const struct record *call);
int overview_stage(struct tables *tables, const struct stage_span *span);

/* An operation of the device; whether it is a kernel that communicates. */
bool overview_communicates(struct tables *tables, const struct record *operation);
int overview_operation(struct tables *tables, const struct record *operation);

#endif
