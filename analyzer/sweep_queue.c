/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/sweep.h"

int sweep_make_room(struct sweep *sweep)
{
	size_t used = sweep->interval_count - sweep->interval_head;
	if (sweep->interval_head > sweep->interval_capacity / 2) {
		memmove(sweep->intervals, sweep->intervals + sweep->interval_head,
			used * sizeof(*sweep->intervals));
		sweep->interval_sorted -= sweep->interval_head;
		sweep->interval_count = used;
		sweep->interval_head = 0;
		return 0;
	}
	size_t capacity = 2 * sweep->interval_capacity;
	struct interval *grown = realloc(sweep->intervals, capacity * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	sweep->intervals = grown;
	sweep->interval_capacity = capacity;
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

/*
 * What is new mostly ascends stream by stream: it is dealt into few ascending runs, which are
 * merged with the intervals among which they fall.
 */
#define RUNS_LIMIT 16u

struct runs {
	uint64_t last[RUNS_LIMIT];              /* begin of the newest, descending */
	size_t at[RUNS_LIMIT], end[RUNS_LIMIT]; /* in the spare memory */
	unsigned count;
};

/* The run of each new interval, by the first one that it can continue; false: too many runs. */
static bool deal(const struct interval *new, size_t count, struct runs *runs, uint8_t *ret_run)
{
	for (size_t i = 0; i < count; i++) {
		unsigned run = 0;
		while (run < runs->count && runs->last[run] > new[i].begin)
			run++;
		if (run == RUNS_LIMIT)
			return false;
		runs->count += run == runs->count;
		runs->last[run] = new[i].begin;
		runs->end[run]++;
		ret_run[i] = (uint8_t)run;
	}
	return true;
}

static void merge_runs(const struct interval *from, struct runs *runs, struct interval *to)
{
	while (runs->count > 1) {
		unsigned best = 0;
		for (unsigned run = 1; run < runs->count; run++)
			if (from[runs->at[run]].begin < from[runs->at[best]].begin)
				best = run;
		*to++ = from[runs->at[best]++];
		if (runs->at[best] < runs->end[best])
			continue;
		runs->count--;
		for (unsigned run = best; run < runs->count; run++) {
			runs->at[run] = runs->at[run + 1];
			runs->end[run] = runs->end[run + 1];
		}
	}
	memcpy(to, from + runs->at[0], (runs->end[0] - runs->at[0]) * sizeof(*to));
}

/* Where in the sorted part the first interval that begins later than begin lies. */
static size_t find_later(const struct sweep *sweep, uint64_t begin)
{
	size_t low = sweep->interval_head, high = sweep->interval_sorted;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (sweep->intervals[middle].begin <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Room for as many intervals and as many bytes behind them. */
static int reserve_spare(struct sweep *sweep)
{
	if (sweep->spare_capacity >= sweep->interval_capacity)
		return 0;
	struct interval *spare =
		realloc(sweep->spare, sweep->interval_capacity * (sizeof(*spare) + 1));
	if (spare == NULL)
		return -ENOMEM;
	sweep->spare = spare;
	sweep->spare_capacity = sweep->interval_capacity;
	return 0;
}

int sweep_sort(struct sweep *sweep)
{
	struct interval *all = sweep->intervals, *new = all + sweep->interval_sorted;
	size_t count = sweep->interval_count - sweep->interval_sorted;
	struct runs runs = {0};
	if (reserve_spare(sweep) < 0)
		return -ENOMEM;
	uint8_t *run_of = (uint8_t *)(sweep->spare + sweep->spare_capacity);
	bool few = deal(new, count, &runs, run_of) && runs.count < RUNS_LIMIT;
	uint64_t first_ns = UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		if (new[i].begin < first_ns)
			first_ns = new[i].begin;
	size_t from = find_later(sweep, first_ns), old = sweep->interval_sorted - from;
	sweep->interval_sorted = sweep->interval_count;
	if (few && runs.count == 1 && old == 0)
		return 0;
	if (!few) {
		qsort(all + from, old + count, sizeof(*all), by_begin);
		return 0;
	}
	/* one run after the other, what was there last */
	size_t until = 0;
	for (unsigned run = 0; run < runs.count; run++) {
		size_t length = runs.end[run];
		runs.at[run] = runs.end[run] = until;
		until += length;
	}
	for (size_t i = 0; i < count; i++)
		sweep->spare[runs.end[run_of[i]]++] = new[i];
	memcpy(sweep->spare + until, all + from, old * sizeof(*all));
	if (old > 0) {
		runs.at[runs.count] = until;
		runs.end[runs.count++] = until + old;
	}
	merge_runs(sweep->spare, &runs, all + from);
	return 0;
}
