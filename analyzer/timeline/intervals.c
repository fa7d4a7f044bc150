/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/vec.h"

#define LANE_LEAST 64u

void intervals_release(struct intervals *intervals)
{
	for (unsigned i = 0; i < intervals->lane_count; i++)
		free(intervals->lanes[i].items);
	free(intervals->heap);
	*intervals = (struct intervals){0};
}

static int grow(struct interval_lane *lane)
{
	size_t capacity = lane->capacity > 0 ? 2 * lane->capacity : LANE_LEAST;
	struct interval *items = malloc(capacity * sizeof(*items));
	if (items == NULL)
		return -ENOMEM;
	for (uint64_t at = lane->first; at < lane->until; at++)
		items[at & (capacity - 1)] = lane->items[at & (lane->capacity - 1)];
	free(lane->items);
	lane->items = items;
	lane->capacity = capacity;
	return 0;
}

static int heap_put(struct intervals *intervals, const struct interval *interval)
{
	if (intervals->heap_count == intervals->heap_capacity) {
		struct interval *grown = vec_grow(intervals->heap, &intervals->heap_capacity,
			intervals->heap_count + 1, sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		intervals->heap = grown;
	}
	struct interval *heap = intervals->heap;
	size_t at = intervals->heap_count++;
	for (; at > 0 && interval->begin < heap[(at - 1) / 2].begin; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = *interval;
	return 0;
}

/* The top goes to the place behind the last one, where it stays until something is put. */
static const struct interval *heap_take(struct intervals *intervals)
{
	struct interval *heap = intervals->heap;
	struct interval top = heap[0], last = heap[--intervals->heap_count];
	size_t at = 0, count = intervals->heap_count;
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && heap[child + 1].begin < heap[child].begin)
			child++;
		if (heap[child].begin >= last.begin)
			break;
		heap[at] = heap[child];
	}
	if (count > 0)
		heap[at] = last;
	heap[count] = top;
	return &heap[count];
}

int intervals_put(
	struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t class, uint32_t spot)
{
	unsigned at = 0;
	while (at < intervals->lane_count && intervals->last[at] > begin)
		at++;
	if (at == INTERVALS_LANES)
		return heap_put(intervals,
			&(struct interval){
				.begin = begin, .end = end, .spot = spot, .class = class});
	struct interval_lane *lane = &intervals->lanes[at];
	if (at == intervals->lane_count) {
		intervals->head[at] = UINT64_MAX;
		intervals->lane_count++;
	}
	if (lane->until - lane->first == lane->capacity && grow(lane) < 0)
		return -ENOMEM;
	if (lane->first == lane->until) {
		intervals->head[at] = begin;
		intervals->rival = 0;
	}
	intervals->last[at] = begin;
	/* field by field: a copy of a struct just written would wait for its stores */
	struct interval *item = &lane->items[lane->until++ & (lane->capacity - 1)];
	item->begin = begin;
	item->end = end;
	item->spot = spot;
	item->class = class;
	return 0;
}

/* The lane with the earliest head, the first of such, and the earliest head of the others. */
static void choose(struct intervals *intervals)
{
	uint64_t best = UINT64_MAX, rival = UINT64_MAX;
	unsigned from = 0;
	for (unsigned i = 0; i < intervals->lane_count; i++) {
		uint64_t head = intervals->head[i];
		if (head < best) {
			rival = best;
			best = head;
			from = i;
		} else if (head < rival) {
			rival = head;
		}
	}
	intervals->from = from;
	intervals->rival = rival;
}

const struct interval *intervals_take(struct intervals *intervals, uint64_t ns)
{
	if (intervals->head[intervals->from] >= intervals->rival)
		choose(intervals);
	unsigned from = intervals->from;
	uint64_t best = intervals->lane_count > 0 ? intervals->head[from] : UINT64_MAX;
	if (intervals->heap_count > 0 && intervals->heap[0].begin < best)
		return intervals->heap[0].begin < ns ? heap_take(intervals) : NULL;
	if (best >= ns)
		return NULL;
	struct interval_lane *lane = &intervals->lanes[from];
	size_t mask = lane->capacity - 1;
	const struct interval *taken = &lane->items[lane->first++ & mask];
	intervals->head[from] =
		lane->first < lane->until ? lane->items[lane->first & mask].begin : UINT64_MAX;
	return taken;
}
