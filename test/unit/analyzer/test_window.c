/* SPDX-License-Identifier: MIT */
/*
 * What is known of the device's work when only a part of it was read or recorded: a window of the
 * trace, another profiler for a while, records that come too late.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"

#define STEP_US 500u

static struct device_notes notes;

/* A step of 500 us: launch 0-10, kernel 10-110 unless lost, wait 10-120, operator 0-500. */
static void add_step(struct builder *builder, bool api, bool work)
{
	uint64_t begin_ns = builder->now_ns;
	builder_launch(builder, 10, NAME_KERNEL, 1);
	unsigned kept = notes.count;
	device_call(&notes, builder, 10);
	if (!api)
		notes.count = kept;
	if (work)
		device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
	builder_sync(builder, 110, 3);
	builder_pause(builder, 380);
	device_step(builder, begin_ns);
}

/* A kernel whose call is not there, with the next id. */
static void add_stray(struct builder *builder, int64_t after_us, uint64_t us)
{
	notes.correlation++;
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL_2, after_us, us);
}

/* The source became active before the window, in which three operations are still running. */
static struct builder begin_window(uint64_t steps)
{
	struct builder builder = builder_new();
	notes.count = 0;
	notes.correlation = 99;
	model_set_window(builder.model, BUILDER_START_NS + 1000 * US,
		BUILDER_START_NS + (1000 + STEP_US * steps) * US);
	device_state(&builder, SOURCE_ACTIVE);
	builder_pause(&builder, 1000);
	for (unsigned i = 0; i < 3; i++)
		add_stray(&builder, 130 + 100 * i, 50);
	device_flush(&notes, &builder);
	return builder;
}

Test(window, what_was_asked_for_before_it_is_work_and_nothing_is_missed)
{
	struct builder builder = begin_window(DEVICE_STEPS);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		add_step(&builder, true, true);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(device_reason(report, "3 GPU operations were asked for before"));
	cr_expect(eq(u32, report->health.reason_count, 1));
	cr_expect(eq(int, report->health.status, HEALTH_GOOD));
	cr_expect(report->health.matched_pct > 99.99);
	cr_expect(report->busy_measured);
	cr_expect(eq(u64, builder.model->late_operations, 0));
	cr_expect(eq(u64, builder.model->join->counts.away, 3));
	builder_free(&builder);
}

Test(window, what_runs_behind_it_is_not_missed_and_makes_no_idle_time)
{
	struct builder builder = begin_window(DEVICE_STEPS);
	for (unsigned step = 0; step + 1 < DEVICE_STEPS; step++)
		add_step(&builder, true, true);
	/* the device is busy with the second up to the end: what follows is not there */
	uint64_t begin_ns = builder.now_ns;
	builder_launch(&builder, 10, NAME_KERNEL, 1);
	device_call(&notes, &builder, 10);
	device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 700);
	for (unsigned i = 0; i < 5; i++) {
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
	}
	device_flush(&notes, &builder);
	/* this wait ends behind the window, and so does the step */
	builder_sync(&builder, 1000, 3);
	device_step(&builder, begin_ns);
	const struct report *report = builder_finish(&builder);
	const struct model *model = builder.model;
	cr_expect(device_reason(report, "5 calls may have had their GPU work after"));
	cr_expect(not(device_reason(report, "no record of what the GPU did")));
	cr_expect(report->health.matched_pct > 99.99);
	cr_expect(report->busy_measured);
	cr_expect(eq(u64, model->last_ns, model->to_ns));
	cr_expect(eq(u64, model->steps.count, DEVICE_STEPS - 1));
	cr_expect(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), 100));
	builder_free(&builder);
}

/* Inside of it the words are the same as ever. */
Test(window, what_is_lost_within_is_missed)
{
	struct builder builder = begin_window(DEVICE_STEPS);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		add_step(&builder, step != 20, step != 10);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(device_reason(report, "1 GPU operations belong to no recorded call (2.6 %)"));
	cr_expect(device_reason(report, "2 calls have no record of what the GPU did (5.0 %)"));
	cr_expect(device_reason(report, "3 GPU operations were asked for before"));
	cr_expect(eq(u32, report->health.reason_count, 3));
	builder_free(&builder);
}

/* Calls that began before it or end behind it are counted as far as they lie in it. */
Test(window, cuts_calls)
{
	struct builder builder = builder_new();
	uint64_t from_ns = BUILDER_START_NS + 100 * US, to_ns = BUILDER_START_NS + 900 * US;
	model_set_window(builder.model, from_ns, to_ns);
	builder_launch(&builder, 300, NAME_KERNEL, 1);
	builder_pause(&builder, 500);
	uint64_t begin_ns = builder.now_ns;
	builder_launch(&builder, 300, NAME_KERNEL, 1);
	device_step(&builder, begin_ns);
	(void)builder_finish(&builder);
	cr_expect(eq(u64, builder.model->first_ns, from_ns));
	cr_expect(eq(u64, builder.model->last_ns, to_ns));
	cr_expect(eq(u64, builder.model->kinds[RECORD_LAUNCH], 2));
	cr_expect(eq(u64, builder.model->kinds[RECORD_OP], 0));
	builder_free(&builder);
}

/* Another profiler comes between a call and its operation, and leaves between another two. */
Test(window, another_profiler_for_a_while)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		if (step == 19)
			device_state(&builder, SOURCE_YIELDED);
		if (step == 20) {
			device_state(&builder, SOURCE_ACTIVE);
			add_stray(&builder, 200, 50); /* asked for while it was away */
			device_flush(&notes, &builder);
		}
		if (step == 18) {
			uint64_t begin_ns = builder.now_ns;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			device_call(&notes, &builder, 10);
			builder_pause(&builder, 490);
			device_step(&builder, begin_ns);
		} else {
			bool here = step != 19;
			add_step(&builder, here, here);
		}
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(device_reason(report, "another profiler was using CUPTI"));
	cr_expect(device_reason(report, "1 GPU operations were asked for before"));
	cr_expect(device_reason(report, "1 calls may have had their GPU work after"));
	cr_expect(eq(u32, report->health.reason_count, 3));
	cr_expect(report->health.matched_pct > 99.99);
	cr_expect(eq(u64, builder.model->late_operations, 0));
	builder_free(&builder);
}

Test(window, records_that_come_after_their_calls_are_forgotten)
{
	struct builder builder = device_begin(&notes);
	unsigned count = 3 * DEVICE_KEPT_LIMIT / 2;
	for (unsigned i = 0; i < count; i++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 5);
		if (i > 0)
			notes.count = 2; /* only of the first, which is told last */
		builder_sync(&builder, 20, 3);
		device_step(&builder, begin_ns);
	}
	device_flush(&notes, &builder);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, builder.model->join->counts.late, 1));
	cr_expect(device_reason(
		report, "1 GPU operations were reported too late to find their call (100.0 %)"));
	cr_expect(not(device_reason(report, "belong to no recorded call")));
	builder_free(&builder);
}
