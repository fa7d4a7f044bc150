/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/* One step of a loop whose bottleneck is known; the device's speed shows in how long waits take. */
struct truth {
	const char *name;
	void (*step)(struct builder *builder);
	enum verdict_class class;
	const char *cause;
};

static void launches(struct builder *builder, unsigned count, uint64_t us)
{
	for (unsigned i = 0; i < count; i++)
		builder_launch(builder, us, NAME_KERNEL, 1);
}

static void optimizer(struct builder *builder)
{
	uint64_t begin = builder->now_ns;
	builder_launch(builder, 10, NAME_KERNEL_2, 2);
	builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
}

/* 5 ms for a batch, 0.2 ms of launches, and the device is done soon after. */
static void input_bound(struct builder *builder)
{
	uint64_t begin = builder->now_ns;
	builder_pause(builder, 5000);
	builder_op(builder, begin, NAME_LOADER, OP_USER_SCOPE);
	launches(builder, 20, 10);
	optimizer(builder);
	builder_sync(builder, 60, 3);
}

/* 200 launches of 20 us, and nothing to wait for in the end. */
static void launch_bound(struct builder *builder)
{
	launches(builder, 200, 20);
	optimizer(builder);
	builder_sync(builder, 2, 3);
}

/* A value is read in the middle, then the host works for as long as it waited. */
static void sync_bound(struct builder *builder)
{
	launches(builder, 5, 10);
	uint64_t begin = builder->now_ns;
	builder_copy(builder, 1000, COPY_DEVICE_TO_HOST, 4, MEMORY_PAGEABLE, 4);
	builder_sync(builder, 1, 4);
	builder_op(builder, begin, NAME_ITEM, OP_FUNCTION);
	builder_pause(builder, 1000);
	optimizer(builder);
}

/* 0.1 ms of launches and 9.9 ms of waiting for what they started. */
static void gpu_bound(struct builder *builder)
{
	launches(builder, 9, 10);
	optimizer(builder);
	builder_sync(builder, 9900, 3);
}

/* 5 ms of copying from pageable memory, then little to compute. */
static void copy_bound(struct builder *builder)
{
	builder_copy(builder, 5000, COPY_HOST_TO_DEVICE, 20 << 20, MEMORY_PAGEABLE, 5);
	launches(builder, 10, 10);
	optimizer(builder);
	builder_sync(builder, 100, 3);
}

/* Data is there, copies are asynchronous, and the host waits once per step for a busy device. */
static void healthy(struct builder *builder)
{
	uint64_t begin = builder->now_ns;
	builder_pause(builder, 30);
	builder_op(builder, begin, NAME_LOADER, OP_USER_SCOPE);
	builder_copy(builder, 5, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PINNED, 5);
	launches(builder, 20, 10);
	optimizer(builder);
	builder_sync(builder, 5800, 3);
}

static const struct truth truths[] = {
	{"input bound", input_bound, VERDICT_IO, "idle_input"},
	{"launch bound", launch_bound, VERDICT_CPU, "idle_launch"},
	{"sync bound", sync_bound, VERDICT_CPU, "idle_sync"},
	{"gpu bound", gpu_bound, VERDICT_GPU, "device_compute"},
	{"copy bound", copy_bound, VERDICT_GPU, "device_copy"},
	{"healthy", healthy, VERDICT_GPU, "device_compute"},
};

Test(verdict, six_known_loops)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++)
			truths[i].step(&builder);
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(int, report->verdict.class, truths[i].class), "%s: %s", truths[i].name,
			report->verdict.text);
		cr_expect(eq(str, (char *)report->verdict.cause, (char *)truths[i].cause), "%s: %s",
			truths[i].name, report->verdict.text);
		builder_free(&builder);
	}
}

/* Busy for 85 %, and the waits show that. */
static void between(struct builder *builder)
{
	launches(builder, 9, 10);
	optimizer(builder);
	builder_sync(builder, 8400, 3);
	builder_pause(builder, 1500);
}

Test(verdict, sentences_have_no_names_of_causes)
{
	void (*const steps[])(struct builder *) = {
		input_bound, launch_bound, sync_bound, gpu_bound, copy_bound, healthy, between};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++)
			steps[i](&builder);
		const struct report *report = builder_finish(&builder);
		if (steps[i] == between)
			cr_expect(eq(int, report->verdict.class, VERDICT_MIXED), "%s",
				report->verdict.text);
		cr_expect(strchr(report->verdict.text, '_') == NULL, "%s", report->verdict.text);
		builder_free(&builder);
	}
}

Test(verdict, account_adds_up_to_the_steps_exactly)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++)
			truths[i].step(&builder);
		const struct report *report = builder_finish(&builder);
		uint64_t sum = 0;
		unsigned tenths = 0;
		for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
			sum += report->swept[cause];
			tenths += report->account[cause].tenths;
		}
		cr_expect(eq(u64, sum, report->steps.total_ns), "%s", truths[i].name);
		cr_expect(eq(uint, tenths, 1000), "%s", truths[i].name);
		cr_expect(report->busy_low_pct <= report->busy_pct + 0.1 &&
				  report->busy_pct <= report->busy_high_pct + 0.1,
			"%s: %.1f %.1f %.1f", truths[i].name, report->busy_low_pct,
			report->busy_pct, report->busy_high_pct);
		builder_free(&builder);
	}
}

Test(verdict, numbers_of_the_input_bound_loop)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++)
		input_bound(&builder);
	const struct report *report = builder_finish(&builder);
	/* 5000 of 5270 us */
	cr_assert(report->reader_pct > 94.8 && report->reader_pct < 95.0);
	cr_assert(eq(u64, report->steps.median_ns, 5270 * US));
	cr_assert(eq(u64, report->steps.count, STEPS));
	cr_assert(eq(u64, report->steps.warmup, 10));
	const struct finding *finding = builder_finding(report, "input-bound", 0);
	cr_assert(finding != NULL);
	cr_assert(finding->gain_pct > 85 && finding->gain_pct <= 95.0);
	cr_assert(builder_finding(report, "input-single-process", 0) != NULL);
	builder_free(&builder);
}

Test(verdict, a_limit_set_by_the_user_decides)
{
	struct builder builder = builder_new();
	cr_assert(eq(int, thresholds_set(&builder.thresholds, "io=99"), 0));
	cr_assert(eq(int, thresholds_set(&builder.thresholds, "io-strong=99.5"), 0));
	for (unsigned step = 0; step < STEPS; step++)
		input_bound(&builder);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, report->verdict.class, VERDICT_CPU), "%s", report->verdict.text);
	builder_free(&builder);
}

Test(verdict, too_few_steps_are_insufficient)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < 4; step++)
		gpu_bound(&builder);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, report->verdict.class, VERDICT_INSUFFICIENT));
	cr_assert(strstr(report->verdict.text, "steps") != NULL);
	builder_free(&builder);
}

Test(verdict, no_records_are_insufficient)
{
	struct builder builder = builder_new();
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, report->verdict.class, VERDICT_INSUFFICIENT));
	cr_assert(eq(uint, report->finding_count, 0));
	builder_free(&builder);
}

Test(verdict, unknown_limits_are_refused)
{
	struct thresholds thresholds;
	thresholds_init(&thresholds);
	cr_assert(thresholds_set(&thresholds, "gpu") < 0);
	cr_assert(thresholds_set(&thresholds, "gpu=") < 0);
	cr_assert(thresholds_set(&thresholds, "gpu=nan") < 0);
	cr_assert(thresholds_set(&thresholds, "gpu=-1") < 0);
	cr_assert(thresholds_set(&thresholds, "gpux=1") < 0);
	cr_assert(eq(dbl, thresholds.values[THRESHOLD_GPU], 90.0));
}

/* Steps of no length, as when all of them end in one moment: shares of nothing are not judged. */
Test(verdict, steps_without_any_time_are_not_judged)
{
	static struct report report;
	static struct thresholds thresholds;
	thresholds_init(&thresholds);
	report = (struct report){.thresholds = &thresholds,
		.busy_pct = REPORT_UNKNOWN_PCT,
		.reader_pct = REPORT_UNKNOWN_PCT,
		.host_pct = REPORT_UNKNOWN_PCT};
	verdict_decide(&report);
	cr_expect(eq(int, report.verdict.class, VERDICT_INSUFFICIENT));
	cr_expect(report.verdict.cause == NULL);
}
