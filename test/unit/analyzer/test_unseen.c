/* SPDX-License-Identifier: MIT */
/*
 * What the device was given while recording was off. The kernel of a step takes 1000 us on the
 * device, the calls that ask for it 100 us of the host; the device says nothing itself.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"

#define DEVICE_US 1000u
#define HOST_US   100u

static uint64_t free_ns; /* when the device has done what it was given */

/* One kernel behind what is there; the call takes 10 us. */
static void step(struct builder *builder)
{
	uint64_t begin_ns = builder->now_ns;
	builder_launch(builder, 10, NAME_KERNEL, 1);
	free_ns = (free_ns > builder->now_ns ? free_ns : builder->now_ns) + DEVICE_US * US;
	builder_pause(builder, HOST_US - 10);
	device_step(builder, begin_ns);
}

/* Recording is off for so many steps of the run; the device says nothing but by the last wait. */
static struct builder paused(unsigned first, unsigned count)
{
	struct builder builder = builder_new();
	free_ns = 0;
	struct record off = {.kind = RECORD_MARK};
	record_set_MARK_what(&off, MARK_OFF);
	record_set_MARK_optimizer_steps(&off, count);
	for (unsigned i = 0; i < 2 * DEVICE_STEPS; i++) {
		if (i == first)
			off.begin = builder.now_ns;
		if (i < first || i >= first + count) {
			step(&builder);
			continue;
		}
		free_ns += DEVICE_US * US;
		builder_pause(&builder, HOST_US);
		off.end = builder.now_ns;
		if (i == first + count - 1)
			builder_add(&builder, &off);
	}
	builder_sync(&builder, (free_ns - builder.now_ns) / US + 5, 3);
	return builder;
}

static bool doubts(const struct report *report, enum doubt_id id)
{
	for (unsigned i = 0; i < report->verdict.doubt_count; i++)
		if (report->verdict.doubts[i].id == id)
			return true;
	return false;
}

Test(unseen, steps_that_nobody_saw_do_not_lengthen_the_others)
{
	struct builder builder = paused(30, 20);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->steps.count, 2 * DEVICE_STEPS));
	cr_expect(epsilon_eq(
		dbl, (double)report->steps.mean_ns, DEVICE_US * US, 0.01 * DEVICE_US * US));
	cr_expect(doubts(report, DOUBT_UNSEEN), "that they were like the others is a guess");
	builder_free(&builder);
}

Test(unseen, a_device_that_was_behind_before_recording_began_is_a_doubt)
{
	struct builder builder = paused(0, 30);
	const struct report *report = builder_finish(&builder);
	cr_expect(doubts(report, DOUBT_UNSEEN));
	cr_expect(ne(int, report->verdict.confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
	builder = paused(200, 0);
	cr_expect(not(doubts(builder_finish(&builder), DOUBT_UNSEEN)), "recording was never off");
	builder_free(&builder);
}
