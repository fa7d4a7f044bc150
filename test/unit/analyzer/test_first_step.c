/* SPDX-License-Identifier: MIT */
/* Loops of few steps: the first alone is set aside, and what lies between them is seen too. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/ahead_loop.h"

Test(first_step, ends_with_its_work_like_the_others)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < 6; step++)
		ahead_step(&builder, true);
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.count, 6));
	cr_expect(eq(u64, report->steps.steady, 5));
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.max_ns, DEVICE_US * US));
	builder_free(&builder);
}

/* Eight steps of 1 ms, with 4 ms of evaluation after the third and the sixth. */
Test(first_step, is_followed_by_phases_in_a_short_run_too)
{
	struct builder builder = begin_loop();
	for (unsigned step = 1; step <= 8; step++) {
		ahead_step(&builder, true);
		if (step % 3 != 0)
			continue;
		builder_pause(&builder, 20);
		for (unsigned batch = 0; batch < 4; batch++) {
			builder_launch(&builder, 10, NAME_KERNEL, 5);
			device_call(&notes, &builder, 10);
			uint64_t begin_ns = free_ns > builder.now_ns ? free_ns : builder.now_ns;
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL,
				(int64_t)((begin_ns - builder.now_ns) / US), DEVICE_US);
			free_ns = begin_ns + DEVICE_US * US;
		}
		drain(&builder);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	const struct phases *phases = &builder.model->steps.phases;
	cr_expect(eq(u64, report->steps.count, 8));
	cr_assert(eq(u32, phases->count, 1));
	cr_expect(eq(int, phases->items[0].phase, PHASE_EVALUATION));
	cr_expect(eq(u64, phases->items[0].count, 2));
	cr_expect(phases->items[0].ns >= 8 * DEVICE_US * US, "%llu",
		(unsigned long long)phases->items[0].ns);
	cr_expect(report->steps.max_ns < DEVICE_US * US + 200 * US, "%llu",
		(unsigned long long)report->steps.max_ns);
	builder_free(&builder);
}
