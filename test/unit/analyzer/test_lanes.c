/* SPDX-License-Identifier: MIT */
/* Events that overlap in part never share a lane; those that nest or follow each other do. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "analyzer/export/lanes.h"

static struct lanes lanes;

static void clear(void)
{
	lanes_release(&lanes);
}

TestSuite(lanes, .fini = clear);

/* Number of the lane, from 0. */
static size_t put(uint64_t begin_ns, uint64_t end_ns)
{
	bool is_new;
	struct lane *lane = lanes_take(&lanes, begin_ns, end_ns, &is_new);
	cr_assert(lane != NULL);
	if (is_new)
		lane->number = lanes.lanes.count - 1;
	return (size_t)lane->number;
}

Test(lanes, neighbours_and_nested_events_share_one)
{
	cr_assert(eq(sz, put(10, 20), 0));
	cr_assert(eq(sz, put(20, 30), 0));
	cr_assert(eq(sz, put(5, 40), 0)); /* around both */
	cr_assert(eq(sz, put(40, 50), 0));
	cr_assert(eq(sz, put(50, 50), 0));
	cr_assert(eq(sz, put(1, 60), 0));
}

Test(lanes, a_partial_overlap_takes_the_next)
{
	cr_assert(eq(sz, put(10, 20), 0));
	cr_assert(eq(sz, put(19, 30), 1));
	cr_assert(eq(sz, put(29, 40), 0));
	cr_assert(eq(sz, put(15, 50), 1)); /* around all of lane 1 */
}

Test(lanes, an_event_that_comes_late_is_not_lost)
{
	cr_assert(eq(sz, put(100, 200), 0));
	cr_assert(eq(sz, put(10, 50), 1));
	cr_assert(eq(sz, put(60, 90), 1));
}

Test(lanes, two_that_begin_together_are_apart)
{
	cr_assert(eq(sz, put(10, 20), 0));
	cr_assert(eq(sz, put(10, 30), 1));
	cr_assert(eq(sz, put(40, 40), 0));
	cr_assert(eq(sz, put(40, 50), 0)); /* an instant holds nothing */
}

struct event {
	uint64_t begin_ns, end_ns;
	size_t lane;
};

/* Whatever comes in whatever order: no lane holds two that overlap in part. */
Test(lanes, random_events)
{
	static struct event events[20000];
	const size_t count = sizeof(events) / sizeof(events[0]);
	srand(7);
	for (size_t i = 0; i < count; i++) {
		uint64_t begin_ns = i * 10 + (uint64_t)(rand() % 60);
		events[i] = (struct event){begin_ns, begin_ns + (uint64_t)(rand() % 90), 0};
		events[i].lane = put(events[i].begin_ns, events[i].end_ns);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count && k < i + 40; k++) {
			const struct event *a = &events[i], *b = &events[k];
			if (a->lane != b->lane || a->end_ns <= b->begin_ns ||
				b->end_ns <= a->begin_ns)
				continue;
			bool inside = (a->begin_ns <= b->begin_ns && b->end_ns <= a->end_ns) ||
				      (b->begin_ns <= a->begin_ns && a->end_ns <= b->end_ns);
			cr_assert(inside, "%zu and %zu", i, k);
		}
	cr_assert(lt(sz, lanes.lanes.count, 30));
}
