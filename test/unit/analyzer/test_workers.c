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
	cr_expect(found.busy_least > 0.79 && found.busy_least < 0.81);
	cr_expect(found.busy_most > 0.99 && found.busy_most < 1.01);
	found = workers_of(&workers, 9);
	cr_expect(eq(uint, found.count, 0));
	cr_expect(found.busy_least < 0);
}
