/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/intervals.h"

#include <errno.h>

void intervals_release(struct intervals *intervals)
{
	for (unsigned i = 0; i < intervals->lane_count; i++)
		circle_release(&intervals->lanes[i]);
	vec_release(&intervals->heap);
	*intervals = (struct intervals){0};
}

static int heap_put(struct intervals *intervals, const struct interval *interval)
{
	if (vec_reserve(&intervals->heap, intervals->heap.count + 1) < 0)
		return -ENOMEM;
	struct interval *heap = intervals->heap.items;
	size_t at = intervals->heap.count++;
	for (; at > 0 && interval->begin < heap[(at - 1) / 2].begin; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = *interval;
	return 0;
}

/* The top goes to the place behind the last one, where it stays until something is put. */
static const struct interval *heap_take(struct intervals *intervals)
{
	struct interval *heap = intervals->heap.items;
	struct interval top = heap[0], last = heap[--intervals->heap.count];
	size_t at = 0, count = intervals->heap.count;
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

/* Room behind the lane's last, which may be its first, of a lane that may be new. 0 or -ENOMEM. */
static __attribute__((noinline)) int make_room(
	struct intervals *intervals, unsigned at, uint64_t begin)
{
	__typeof__(intervals->lanes[0]) *lane = &intervals->lanes[at];
	if (at == intervals->lane_count) {
		intervals->head[at] = UINT64_MAX;
		intervals->lane_count++;
	}
	if (circle_reserve(lane, 1) < 0)
		return -ENOMEM;
	if (circle_count(lane) == 0) {
		intervals->head[at] = begin;
		intervals->rival = 0;
	}
	return 0;
}

/* Where there may be no room. */
static __attribute__((noinline)) int put_anywhere(struct intervals *intervals, unsigned at,
	uint64_t begin, uint64_t end, uint32_t class, uint32_t spot)
{
	const struct interval interval = {.begin = begin, .end = end, .spot = spot, .class = class};
	if (at == INTERVALS_LANES)
		return heap_put(intervals, &interval);
	int err = make_room(intervals, at, begin);
	if (err == 0)
		intervals_put_last(intervals, at, begin, end, class, spot);
	return err;
}

int intervals_put_any(
	struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t class, uint32_t spot)
{
	unsigned at = 0;
	while (at < intervals->lane_count && intervals->last[at] > begin)
		at++;
	const __typeof__(intervals->lanes[0]) *lane = &intervals->lanes[at];
	if (at == intervals->lane_count || circle_count(lane) == 0 ||
		circle_count(lane) == lane->capacity)
		return put_anywhere(intervals, at, begin, end, class, spot);
	intervals_put_last(intervals, at, begin, end, class, spot);
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
	intervals->rival = intervals->lane_count > 0 ? rival : 0;
}

const struct interval *intervals_take_any(struct intervals *intervals, uint64_t ns)
{
	if (intervals->head[intervals->from] >= intervals->rival)
		choose(intervals);
	unsigned from = intervals->from;
	uint64_t best = intervals->lane_count > 0 ? intervals->head[from] : UINT64_MAX;
	if (intervals->heap.count > 0 && intervals->heap.items[0].begin < best)
		return intervals->heap.items[0].begin < ns ? heap_take(intervals) : NULL;
	if (best >= ns)
		return NULL;
	__typeof__(intervals->lanes[0]) *lane = &intervals->lanes[from];
	const struct interval *taken = circle_at(lane, lane->first++);
	intervals->head[from] =
		circle_count(lane) > 0 ? circle_at(lane, lane->first)->begin : UINT64_MAX;
	return taken;
}
