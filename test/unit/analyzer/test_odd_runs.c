/* SPDX-License-Identifier: MIT */
/*
 * Runs that make no sense, or too little of it: whatever they hold, every figure is one that can
 * be, and what is not known is not told.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"

static struct device_notes notes;

static bool is_share(double pct)
{
	return pct == REPORT_UNKNOWN_PCT || (pct >= 0 && pct <= 100);
}

static void check(const char *name, const struct report *report)
{
	const struct steps_summary *steps = &report->steps;
	unsigned tenths = 0;
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		tenths += report->account[cause].tenths;
	cr_expect(tenths == (report->accounted_ns > 0 ? 1000 : 0), "%s: %u", name, tenths);
	const double shares[] = {report->reader_pct, report->busy_pct, report->busy_low_pct,
		report->busy_high_pct, report->host_pct, report->waited_pct, report->behind_pct,
		report->run_pct, report->delay_pct, report->blocked_pct, report->measured_pct,
		report->measured_busy_pct, report->health.matched_pct};
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		cr_expect(is_share(shares[i]), "%s: share %zu is %f", name, i, shares[i]);
	cr_expect(report->busy_low_pct <= report->busy_high_pct, "%s", name);
	cr_expect(steps->min_ns <= steps->median_ns && steps->median_ns <= steps->p95_ns &&
			  steps->p95_ns <= steps->max_ns,
		"%s: %lu %lu %lu %lu", name, (unsigned long)steps->min_ns,
		(unsigned long)steps->median_ns, (unsigned long)steps->p95_ns,
		(unsigned long)steps->max_ns);
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->findings[i];
		cr_expect(is_share(finding->gain_pct), "%s: %s gains %f", name, finding->rule->name,
			finding->gain_pct);
		cr_expect(finding->gain_pct < 0 || finding->predicted_ns <= steps->mean_ns,
			"%s: %s", name, finding->rule->name);
	}
	if (steps->steady < 5)
		cr_expect(eq(int, report->verdict.class, VERDICT_INSUFFICIENT), "%s", name);
}

static void step(struct builder *builder, uint64_t us)
{
	uint64_t begin = builder->now_ns;
	builder_launch(builder, 10, NAME_KERNEL, 1);
	device_call(&notes, builder, 10);
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, us / 2);
	builder_sync(builder, us / 2 + 5, 2);
	builder_pause(builder, us / 2);
	device_step(builder, begin);
}

Test(odd_runs, none_or_few_steps)
{
	for (unsigned count = 0; count < 5; count++) {
		struct builder builder = device_begin(&notes);
		for (unsigned i = 0; i < count; i++)
			step(&builder, 1000);
		device_flush(&notes, &builder);
		const struct report *report = builder_finish(&builder);
		check("few", report);
		cr_expect(eq(int, report->health.status, HEALTH_BAD));
		cr_expect(report->health.reason_count > 0);
		builder_free(&builder);
	}
}

/* Each step takes half as long again as the one before: no length is usual, so none is unusual. */
Test(odd_runs, no_step_is_like_another)
{
	struct builder builder = device_begin(&notes);
	double us = 100;
	for (unsigned i = 0; i < DEVICE_STEPS; i++, us *= 1.5)
		step(&builder, (uint64_t)us < 100000000 ? (uint64_t)us : 100000000);
	device_flush(&notes, &builder);
	const struct report *report = builder_finish(&builder);
	check("outliers", report);
	cr_expect(ne(int, report->verdict.confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
}

/* Operations that end before they begin, begin before they were asked for, or go back in time. */
Test(odd_runs, times_of_the_device_that_cannot_be)
{
	static const struct {
		int64_t begin_us, end_us;
	} cases[] = {{400, 100}, {-5000, -4000}, {-900000000, 400}, {0, 900000000}, {0, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = device_begin(&notes);
		for (unsigned at = 0; at < DEVICE_STEPS; at++) {
			step(&builder, 1000);
			struct record *work = &notes.records[notes.count - 1];
			uint64_t asked_ns = work->begin;
			if (at % 2 == 0)
				continue;
			work->begin = asked_ns + (uint64_t)(cases[i].begin_us * (int64_t)US);
			work->end = asked_ns + (uint64_t)(cases[i].end_us * (int64_t)US);
		}
		device_flush(&notes, &builder);
		check("device", builder_finish(&builder));
		builder_free(&builder);
	}
}

/* The clock is set forward by an hour, or back by less than what has passed. */
Test(odd_runs, a_clock_that_steps)
{
	static const int64_t jumps_us[] = {3600000000, -3000, -20000};
	for (size_t i = 0; i < sizeof(jumps_us) / sizeof(jumps_us[0]); i++) {
		struct builder builder = device_begin(&notes);
		for (unsigned at = 0; at < DEVICE_STEPS; at++) {
			step(&builder, 1000);
			if (at == DEVICE_STEPS / 2)
				builder.now_ns += (uint64_t)(jumps_us[i] * (int64_t)US);
		}
		device_flush(&notes, &builder);
		check("clock", builder_finish(&builder));
		builder_free(&builder);
	}
}

/* The thread that trains is gone in the middle of a step; another one goes on without steps. */
Test(odd_runs, a_thread_that_ends_in_a_step)
{
	struct builder builder = device_begin(&notes);
	uint32_t trainer = builder.thread;
	for (unsigned i = 0; i < DEVICE_STEPS; i++)
		step(&builder, 1000);
	builder_launch(&builder, 10, NAME_KERNEL, 1);
	builder.thread = trainer + 1;
	for (unsigned i = 0; i < 20 * DEVICE_STEPS; i++) {
		builder_launch(&builder, 10, NAME_KERNEL_2, 3);
		builder_sync(&builder, 490, 4);
	}
	device_flush(&notes, &builder);
	const struct report *report = builder_finish(&builder);
	check("thread", report);
	cr_expect(eq(u64, report->steps.count, DEVICE_STEPS));
	cr_expect(report->steps.max_ns < 3000 * US, "%lu", (unsigned long)report->steps.max_ns);
	builder_free(&builder);
}
