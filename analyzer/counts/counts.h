/* SPDX-License-Identifier: MIT */
/*
 * How often the steps of a run used each operator, kernel, kind of copy and API function, exactly:
 * what is told belongs to the step in which the program asked for it, whenever the device did it.
 * The device's time is kept as a mean over the run, because its records come late and may be
 * missing; counts never come from them.
 *
 * Rows are bounded; what does not fit shares one row without a key. Not thread-safe.
 */
#ifndef ANALYZER_COUNTS_H
#define ANALYZER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/steps/series.h"
#include "collector/base/slots.h"
#include "collector/base/vec.h"
#include "collector/format/record.h"

#define COUNTS_ROWS 4096u /* of a table */

enum counts_table {
	COUNTS_OPERATORS, /* key: name */
	COUNTS_KERNELS,   /* key: name */
	COUNTS_COPIES,    /* key: counts_copy_key() */
	COUNTS_CALLS,     /* key: the call */
	COUNTS_ALLOCS,    /* of memory of the device; one row */
	COUNTS_MOVES,     /* of data between devices, by the library's calls (NCCL); one row */
	COUNTS_TABLE_COUNT
};

enum counts_value {
	COUNTS_COUNT,
	COUNTS_HOST_NS,
	COUNTS_BYTES,
	COUNTS_VALUE_COUNT
};

struct counts_row {
	uint64_t key;
	bool others;         /* what did not fit */
	struct series sums;  /* COUNTS_VALUE_COUNT */
	uint64_t device_ns;  /* in all operations of the device that belong to it */
	uint64_t operations; /* so many */
};

struct counts_set {
	VEC(struct counts_row) rows;
	struct slots slots;
};

struct counts {
	struct counts_set sets[COUNTS_TABLE_COUNT];
	bool parted; /* a part of the running step was put by */
};

struct counts *counts_new(void);         /* NULL when out of memory */
void counts_free(struct counts *counts); /* NULL: nothing */

/* As the model tells it (analyzer/model/observer.h). 0 or -ENOMEM. */
int counts_call(struct counts *counts, uint64_t step, const struct record *call);
int counts_collective(struct counts *counts, uint64_t step, const struct record *call);
int counts_op(struct counts *counts, uint64_t step, const struct record *op);
int counts_operation(struct counts *counts, const struct record *operation);
void counts_cut(struct counts *counts, uint64_t step, enum step_cut cut);
void counts_finish(struct counts *counts, bool tail);
void counts_restart(struct counts *counts);

/* Sums of the steps first .. until - 1 (series.h). */
void counts_sum(const struct counts_row *row, uint64_t first, uint64_t until,
	uint64_t ret_sums[COUNTS_VALUE_COUNT]);

/* The most of each value in any one of them. */
void counts_most(const struct counts_row *row, uint64_t first, uint64_t until,
	uint64_t ret_most[COUNTS_VALUE_COUNT]);

/* Direction and kinds of memory of a COPY or DEVICE_COPY, and back. */
uint64_t counts_copy_key(const struct record *copy);
struct record counts_copy(uint64_t key);

#endif
