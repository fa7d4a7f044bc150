/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/timeline/intervals.h"

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

#define COUNT 5000u

/* Put some, take some up to a time, against a sorted list. */
static void check(uint64_t (*next)(unsigned i, uint64_t *random))
{
	struct intervals intervals = {0};
	static uint64_t waiting[COUNT];
	unsigned count = 0, taken = 0;
	uint64_t random = 1;
	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t begin = waiting[count++] = next(i, &random);
		cr_assert(intervals_put(&intervals, begin, begin + i, 0, 0) == 0);
		if (i % 500 != 499)
			continue;
		qsort(waiting, count, sizeof(waiting[0]), ascending);
		unsigned due = i + 1 == COUNT ? count : count / 2;
		uint64_t until = due == count ? UINT64_MAX : waiting[due];
		const struct interval *got;
		unsigned at = 0;
		for (; (got = intervals_take(&intervals, until)) != NULL; at++)
			cr_assert(eq(u64, got->begin, waiting[at]));
		cr_assert(at <= due && (at == count || waiting[at] >= until));
		taken += at;
		count -= at;
		memmove(waiting, waiting + at, count * sizeof(waiting[0]));
	}
	cr_assert(eq(u32, taken, COUNT));
	intervals_release(&intervals);
}

static uint64_t next_random(unsigned i, uint64_t *random)
{
	(void)i;
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return *random >> 40;
}

static uint64_t next_down(unsigned i, uint64_t *random)
{
	(void)random;
	return 10 * COUNT - i;
}

/* Three streams of which two are far behind. */
static uint64_t next_streams(unsigned i, uint64_t *random)
{
	(void)random;
	return 100ull * i + 40000ull * (i % 3);
}

Test(intervals, come_out_in_order)
{
	check(next_random);
	check(next_down);
	check(next_streams);
}

Test(intervals, empty)
{
	struct intervals intervals = {0};
	cr_assert(intervals_take(&intervals, UINT64_MAX) == NULL);
	intervals_release(&intervals);
}
