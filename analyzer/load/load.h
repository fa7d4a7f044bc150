/* SPDX-License-Identifier: MIT */
/*
 * What the kernel counted of the threads that feed the device: on a processor, waiting for one,
 * faults and bytes from storage; and where they were held by reads of files. The thread that ends
 * the steps is the one that the report asks about.
 *
 * Figures are running totals that the recorder read some times a second. Of each thread some
 * readings are kept, thinned out evenly as there come more, each with the step in which it
 * was taken, so that the difference of two is exact for the time between them. Memory is bounded:
 * threads, readings and lines beyond the limits are left out. Not thread-safe; an all-zero struct
 * is empty.
 */
#ifndef ANALYZER_LOAD_H
#define ANALYZER_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"

#define LOAD_METRICS (THREAD_HOOKS_NS + 1)
#define LOAD_THREADS 16u
#define LOAD_POINTS  256u
#define LOAD_LINES   64u

struct load_point {
	uint64_t step, ns;
	uint64_t values[LOAD_METRICS]; /* by metric */
	uint32_t known;                /* bit per metric */
};

struct load_thread {
	uint32_t tid;
	uint32_t count, stride, skipped;
	uint64_t cuts; /* steps that it has ended */
	struct load_point points[LOAD_POINTS];
};

struct load_line {
	uint32_t tid, place;
	uint64_t ns, bytes;
};

struct load {
	struct load_thread *threads; /* LOAD_THREADS, once there is one */
	uint32_t count;
	uint64_t step; /* of the last reading */
	struct load_line lines[LOAD_LINES];
	uint32_t line_count;
};

/* Of one thread between two readings. */
struct load_span {
	uint32_t tid;
	uint64_t ns;
	uint64_t values[LOAD_METRICS];
	uint32_t known;
};

void load_release(struct load *load);

/* A figure that was read while step was running. 0 or -ENOMEM. */
int load_add(struct load *load, uint64_t step, const struct record *record);

/* A thread has ended a step. */
void load_cut(struct load *load, uint32_t tid);

/* A thread was held by a read of a file in a step that counts. */
void load_read(struct load *load, uint32_t tid, const struct record *record);

/*
 * The thread that ended most steps, between its first and last reading within steps first to
 * until - 1. False when it has no two of them, or was not told of at all.
 */
bool load_span(const struct load *load, uint64_t first, uint64_t until, struct load_span *ret_span);

/* For how much of the time a thread was ready without a processor; 0: not known. */
double load_delay_share(const struct load *load, uint32_t tid, uint64_t first, uint64_t until);

/*
 * What recording took on all threads that are known, in those steps, as a share of the time; below
 * 0: not known.
 */
double load_hooks_share(const struct load *load, uint64_t first, uint64_t until);

/* The line that held the thread longest with reads of files; NULL: none did. */
const struct load_line *load_longest(const struct load *load, uint32_t tid);

#endif
