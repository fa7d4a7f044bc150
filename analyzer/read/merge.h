/* SPDX-License-Identifier: MIT */
/*
 * Threads to one time line. A file holds each thread's records in the order of
 * their ends, in blocks that the recorder's drain thread took every few milliseconds;
 * blocks of different threads overlap by at most one round of it, which may take long on a
 * busy machine. So a record is delivered once every thread has been read past it, which is
 * taken to be the case when something has been seen that ended MERGE_WINDOW_NS later. A file
 * that is more out of order than that, or holds more than MERGE_LIMIT records in the window, is
 * delivered with records out of order and counted, never with records left out.
 *
 * Records whose end lies before their begin, or beyond any clock, are mended and
 * counted. Memory: the records in the window. Not thread-safe.
 */
#ifndef ANALYZER_MERGE_H
#define ANALYZER_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/record.h"

#define MERGE_WINDOW_NS 10000000000ull
#define MERGE_LIMIT     16384u /* 1 MiB: stays in the cache */
/* No clock of a machine reaches this: 146 years of CLOCK_MONOTONIC. */
#define MERGE_TIME_LIMIT_NS (1ull << 62)

struct merge;

struct merge *merge_new(void); /* NULL when out of memory */
void merge_free(struct merge *merge);

/* Append records of a thread. 0 or -ENOMEM. */
int merge_add(struct merge *merge, uint32_t thread, const struct record *records, unsigned count);

/* No more will be added: merge_next() delivers all that is left. */
void merge_finish(struct merge *merge);

/*
 * The next records in the order of ends, one or more of the same thread; NULL when more input is
 * needed (or, after merge_finish(), at the end). Valid until the next call of any function here.
 */
const struct record *merge_next(struct merge *merge, uint32_t *ret_thread, size_t *ret_count);

/* Calls and operators delivered after something that ended later; records with impossible times. */
uint64_t merge_late(const struct merge *merge);
uint64_t merge_odd(const struct merge *merge);

#endif
