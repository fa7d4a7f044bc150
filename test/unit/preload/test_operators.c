/* SPDX-License-Identifier: MIT */
/* What a framework does itself is told by a measure of how fast the machine is. */
#include "preload/operators/operators.h"

#include "collector/buffer/cost.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(operators, work_grows_with_what_is_to_be_done)
{
	uint64_t some = operators_work(400), many = operators_work(40000);
	cr_expect(gt(u64, some, 0));
	cr_expect(gt(u64, many, 10 * some), "%llu and %llu ticks", (unsigned long long)some,
		(unsigned long long)many);
}

Test(operators, a_sample_stands_for_the_events_since_the_last)
{
	struct operators *own = operators_of_caller();
	cr_assert(ne(ptr, own, NULL));
	own->sampled = 9;
	operators_took(own, 100); /* of a thread that has no ring: nobody to be told */
	cr_expect(eq(u32, own->sampled, own->until_sample));
	cr_expect(ge(u32, own->sampled, COST_APART / 2));
}
