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

/* Behind the last of a lane that has room. */
static inline void intervals_put_last(struct intervals *intervals, unsigned at, uint64_t begin,
	uint64_t end, uint32_t class, uint32_t spot)
{
	/* field by field: a copy of a struct just written would wait for its stores */
	struct interval *item = circle_at(&intervals->lanes[at], intervals->lanes[at].until++);
	item->begin = intervals->last[at] = begin;
	item->end = end;
	item->spot = spot;
	item->class = class;
}

/* The same as below, whatever lies where. */
int intervals_put_any(
	struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t class, uint32_t spot);
const struct interval *intervals_take_any(struct intervals *intervals, uint64_t ns);

/* 0 or -ENOMEM. */
static inline int intervals_put(
	struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t class, uint32_t spot)
{
	size_t count = circle_count(&intervals->lanes[0]);
	if (intervals->last[0] > begin || count == 0 || count == intervals->lanes[0].capacity)
		return intervals_put_any(intervals, begin, end, class, spot);
	intervals_put_last(intervals, 0, begin, end, class, spot);
	return 0;
}

/* The earliest one that begins before ns, or NULL; it is taken, and valid until the next call. */
static inline const struct interval *intervals_take(struct intervals *intervals, uint64_t ns)
{
	unsigned from = intervals->from;
	if (intervals->heap.count > 0 || intervals->head[from] >= intervals->rival)
		return intervals_take_any(intervals, ns);
	if (intervals->head[from] >= ns)
		return NULL;
	__typeof__(intervals->lanes[0]) *lane = &intervals->lanes[from];
	const struct interval *taken = circle_at(lane, lane->first++);
	intervals->head[from] =
		circle_count(lane) > 0 ? circle_at(lane, lane->first)->begin : UINT64_MAX;
	return taken;
}

#endif
