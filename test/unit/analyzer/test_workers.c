/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/run/workers.h"

Test(workers, lives_that_overlap_are_counted_and_others_parents_are_not)
{
	static struct worker items[] = {
		{.parent = 7, .begin_ns = 0, .end_ns = 100, .cpu_ns = 90},
		{.parent = 7, .begin_ns = 10, .end_ns = 110, .cpu_ns = 80},
		{.parent = 7, .begin_ns = 105, .end_ns = 205, .cpu_ns = 100}, /* an epoch later */
		{.parent = 8, .begin_ns = 0, .end_ns = 200, .cpu_ns = 10},
	};
	const run_workers workers = {.items = items, .count = 4, .capacity = 4};
	struct workers_summary found = workers_of(&workers, 7);
	cr_expect(eq(uint, found.count, 2));
	cr_expect(found.busy_least_pct > 79 && found.busy_least_pct < 81);
	cr_expect(found.busy_most_pct > 99 && found.busy_most_pct < 101);
	found = workers_of(&workers, 9);
	cr_expect(eq(uint, found.count, 0));
	cr_expect(found.busy_least_pct < 0);
}

/* Two workers for four epochs each, whose first batch takes 400 ms and each of 19 others 2 ms. */
Test(workers, what_the_first_batch_of_a_worker_costs_is_not_what_others_do)
{
	static struct work works[8], loop;
	static struct worker items[8];
	const run_workers workers = {.items = items, .count = 8, .capacity = 8};
	const uint64_t ms = 1000000;
	for (unsigned epoch = 0; epoch < 4; epoch++) {
		uint64_t begin_ns = (1000 + epoch * 800) * ms, at_ns = begin_ns + 400 * ms;
		for (unsigned i = 0; i < 2; i++) {
			struct work *work = &works[2 * epoch + i];
			items[2 * epoch + i] = (struct worker){.parent = 7, .work = work};
			work_add(work, WORK_OTHER, begin_ns, at_ns, 0);
			for (unsigned batch = 0; batch < 10; batch++)
				work_add(work, WORK_IDLE, at_ns + (40 * batch + 2) * ms,
					at_ns + 40 * (batch + 1) * ms, 0);
		}
		work_add(&loop, WORK_LOAD, begin_ns, at_ns, 0);
		for (unsigned batch = 1; batch < 20; batch++)
			work_add(&loop, WORK_LOAD, at_ns + 20 * batch * ms - ms,
				at_ns + 20 * batch * ms, 0);
	}
	struct pool pool = workers_pool(&workers, 7, 4, &loop);
	cr_expect(pool.work_ns > 30e6, "%.0f", pool.work_ns);
	cr_expect(pool.settled_ns > 1.6e6 && pool.settled_ns < 2.4e6, "%.0f", pool.settled_ns);
}

Test(workers, a_worker_is_its_parents_next_loaders)
{
	static struct worker_turn turns[] = {
		{100, "train.py:31"}, {200, "valid.py:7"}, {300, "train.py:31"}};
	static struct worker items[] = {
		{.identity = 7, .turns = {.items = turns, .count = 3, .capacity = 3}},
		{.identity = 8, .parent = 7, .begin_ns = 10},
		{.identity = 9, .parent = 7, .begin_ns = 101},
		{.identity = 10, .parent = 7, .begin_ns = 301},
		{.identity = 11, .parent = 8, .begin_ns = 1}};
	const run_workers workers = {.items = items, .count = 5, .capacity = 5};
	cr_expect(eq(str, (char *)workers_loader(&workers, &items[1]), "train.py:31"));
	cr_expect(eq(str, (char *)workers_loader(&workers, &items[2]), "valid.py:7"));
	cr_expect(workers_loader(&workers, &items[3]) == NULL);
	cr_expect(workers_loader(&workers, &items[4]) == NULL);
}
