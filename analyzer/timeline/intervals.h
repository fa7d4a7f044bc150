/* SPDX-License-Identifier: MIT */
/*
 * Intervals given in any order, taken in the order of their begins. What comes is
 * mostly in order stream by stream, so it is dealt into ascending lanes, each a queue; the
 * earliest head is next. What fits no lane goes into a heap.
 *
 * Memory: what was put and not taken yet. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_INTERVALS_H
#define ANALYZER_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/circle.h"
#include "collector/base/vec.h"

#define INTERVALS_LANES 16u

struct interval {
	uint64_t begin, end;
	uint32_t spot;
	uint32_t class; /* enum device_class */
};

struct intervals {
	CIRCLE(struct interval) lanes[INTERVALS_LANES];
	uint64_t last[INTERVALS_LANES]; /* begin of the newest in a lane, descending */
	uint64_t head[INTERVALS_LANES]; /* begin of the next in a lane, UINT64_MAX: empty */
	unsigned lane_count;
	unsigned from;             /* lane that is next while its head is earlier than rival */
	uint64_t rival;            /* the earliest head of the others; 0: not known */
	VEC(struct interval) heap; /* the earliest first */
};

void intervals_release(struct intervals *intervals);

/* 0 or -ENOMEM. */
int intervals_put(
	struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t class, uint32_t spot);

/* The earliest one that begins before ns, or NULL; it is taken, and valid until the next call. */
const struct interval *intervals_take(struct intervals *intervals, uint64_t ns);

#endif
