/* SPDX-License-Identifier: MIT */
/* What findings and the verdict say when the device's times were measured, or some of them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/device_builder.h"

static struct device_notes notes;

/* What line 40 copies from pinned memory, for us on the device, begins when the kernel has run for
 * after_us of its 300. */
static const struct report *copy_beside(struct builder *builder, int64_t after_us, uint64_t us)
{
	*builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		device_call(&notes, builder, 10);
		device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 300);
		builder_copy(builder, 10, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PINNED, 4);
		device_call(&notes, builder, 10);
		device_work(&notes, builder, RECORD_DEVICE_COPY, 0, after_us - 10, us);
		notes.records[notes.count - 1].a = 1 << 20;
		builder_sync(builder, 590, 3);
		builder_pause(builder, 190);
		device_step(builder, begin_ns);
		device_flush(&notes, builder);
	}
	return builder_finish(builder);
}

Test(device_findings, a_copy_is_charged_to_its_line_while_nothing_computes)
{
	struct builder builder;
	const struct report *report = copy_beside(&builder, 200, 400);
	const struct finding *copy = builder_finding(report, "copy-not-overlapped", 40);
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COPY), 300));
	cr_assert(copy != NULL);
	cr_assert(eq(u64, copy->exposed_ns, 300 * US));
	cr_assert(eq(dbl, copy->calls_per_step, 1.0));
	cr_assert(strstr(copy->evidence, "the GPU copies for 400.0 us at 2.62 GB/s") != NULL, "%s",
		copy->evidence);
	/* the step ends with the wait, which the copy makes longer by what is exposed */
	cr_assert(copy->gain_pct > 37 && copy->gain_pct < 38, "%f", copy->gain_pct);
	builder_free(&builder);
}

Test(device_findings, a_copy_beside_a_kernel_is_no_finding)
{
	struct builder builder;
	const struct report *report = copy_beside(&builder, 0, 310);
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COPY), 10));
	cr_assert(builder_finding(report, "copy-not-overlapped", 40) == NULL);
	builder_free(&builder);
}

/* to(device) from pinned memory, waited for at the same line: one finding, with the copy's time. */
Test(device_findings, a_copy_that_its_line_waits_for_is_one_finding)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		builder_copy(&builder, 10, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PINNED, 4);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_COPY, 0, 90, 400);
		notes.records[notes.count - 1].a = 1 << 20;
		builder_sync(&builder, 490, 4);
		builder_pause(&builder, 490);
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *copy = builder_finding(report, "copy-sync-large", 40);
	cr_assert(copy != NULL);
	cr_assert(builder_finding(report, "copy-not-overlapped", 40) == NULL);
	cr_assert(strstr(copy->evidence, "the GPU copies for 400.0 us") != NULL, "%s",
		copy->evidence);
	/* the copy, and the time until the next launch */
	cr_assert(eq(u64, copy->exposed_ns / US, 400 + 490));
	builder_free(&builder);
}

Test(device_findings, a_run_measured_in_part_says_for_how_much)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		if (step == 30)
			device_state(&builder, SOURCE_FAILED);
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		unsigned kept = notes.count;
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 480);
		if (step >= 30)
			notes.count = kept;
		builder_pause(&builder, 488);
		builder_sync(&builder, 2, 3);
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(not(report->busy_measured));
	cr_assert(
		report->measured_pct > 60 && report->measured_pct < 70, "%f", report->measured_pct);
	cr_assert(report->measured_busy_pct > 95.9 && report->measured_busy_pct < 96.1, "%f",
		report->measured_busy_pct);
	/* the waits find the device done each time, but it is what keeps the host there */
	cr_assert(eq(int, report->verdict.class, VERDICT_GPU), "%s", report->verdict.text);
	cr_assert(eq(int, report->verdict.confidence, CONFIDENCE_MEDIUM));
	cr_assert(eq(u32, report->health.reason_count, 1));
	cr_assert(strstr(report->health.reasons[0], "recording it failed") != NULL);
	builder_free(&builder);
}
