/* SPDX-License-Identifier: MIT */
/*
 * When a trace is not sound enough for a verdict, and when that is only said: each limit with a
 * case on either side of it.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/device_builder.h"

static struct builder builder;

static void end(void)
{
	builder_free(&builder);
}

/* Steps of 12 events each: ten launches, a wait, a mark. */
static void fill(unsigned steps)
{
	builder = builder_new();
	for (unsigned i = 0; i < steps; i++) {
		uint64_t begin = builder.now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 900, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
}

static const struct health *judge(struct report_input input)
{
	if (builder.model->prefix != NULL)
		cr_assert(model_finish(builder.model) == 0);
	input.model = builder.model;
	input.thresholds = &builder.thresholds;
	report_build(builder.report, &input);
	return &builder.report->health;
}

static struct report_input sound(void)
{
	return (struct report_input){.reader = {.clean_end = true}, .complete = true};
}

/* 19 steps are 228 events: with 12 that are gone 5 % of all are. */
Test(soundness, with_more_than_5_percent_gone_there_is_no_verdict, .fini = end)
{
	static const struct {
		uint64_t lost, missing;
		enum health_status status;
	} cases[] = {
		{0, 0, HEALTH_GOOD},
		{1, 0, HEALTH_DEGRADED},
		{12, 0, HEALTH_DEGRADED},
		{13, 0, HEALTH_BAD},
		{0, 12, HEALTH_DEGRADED},
		{0, 13, HEALTH_BAD},
		{6, 6, HEALTH_DEGRADED},
		{6, 7, HEALTH_BAD},
	};
	fill(19);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_input input = sound();
		input.reader.lost = cases[i].lost;
		input.reader.missing = cases[i].missing;
		const struct health *health = judge(input);
		cr_expect(eq(u64, health->events, 228));
		cr_expect(eq(int, health->status, cases[i].status), "case %zu", i);
		cr_expect(eq(int, builder.report->verdict.class == VERDICT_INSUFFICIENT,
				  cases[i].status == HEALTH_BAD),
			"case %zu", i);
	}
}

/* The first step is never steady; five are needed unless the user says otherwise. */
Test(soundness, five_steady_steps_are_needed)
{
	static const struct {
		unsigned steps;
		const char *set;
		bool enough;
	} cases[] = {
		{5, NULL, false},
		{6, NULL, true},
		{6, "steps=6", false},
		{3, "steps=2", true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fill(cases[i].steps);
		if (cases[i].set != NULL)
			cr_assert(eq(int, thresholds_set(&builder.thresholds, cases[i].set), 0));
		const struct health *health = judge(sound());
		cr_expect(eq(int, health->status, cases[i].enough ? HEALTH_GOOD : HEALTH_BAD),
			"case %zu", i);
		if (!cases[i].enough)
			cr_expect(strstr(health->reasons[0], "steady steps") != NULL, "%s",
				health->reasons[0]);
		builder_free(&builder);
	}
}

Test(soundness, what_a_run_must_have_done, .fini = end)
{
	builder = builder_new();
	cr_expect(strstr(judge(sound())->reasons[0], "no events") != NULL);
	builder_free(&builder);
	builder = builder_new();
	builder_input(&builder, 100);
	cr_expect(strstr(judge(sound())->reasons[0], "nothing was launched") != NULL);
	cr_expect(eq(int, builder.report->verdict.class, VERDICT_INSUFFICIENT));
	builder_free(&builder);
	builder = builder_new();
	builder_launch(&builder, 10, NAME_KERNEL, 1);
	cr_expect(strstr(judge(sound())->reasons[0], "no training steps") != NULL);
	cr_expect(eq(int, builder.report->verdict.class, VERDICT_INSUFFICIENT));
}

Test(soundness, what_recording_itself_took, .fini = end)
{
	static const struct {
		uint64_t own_ns;
		enum health_status status;
		double pct;
	} cases[] = {{50, HEALTH_GOOD, 5.0}, {51, HEALTH_DEGRADED, 5.1}};
	fill(19);
	cr_assert(judge(sound())->overhead_pct < 0, "nobody knows");
	struct model_metric *own = &builder.model->metrics[SAMPLE_COLLECTOR_CPU_NS];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_input input = sound();
		*own = (struct model_metric){.last = cases[i].own_ns, .known = true};
		input.wall_ns = 1000;
		const struct health *health = judge(input);
		cr_expect(eq(int, health->status, cases[i].status), "case %zu", i);
		cr_expect(eq(dbl, health->overhead_pct, cases[i].pct), "case %zu", i);
	}
}

/* 250 steps are 3000 events: up to three may come out of order. */
Test(soundness, what_is_wrong_with_the_records, .fini = end)
{
	fill(250);
	struct report_input input = sound();
	input.late = 3;
	cr_expect(eq(int, judge(input)->status, HEALTH_GOOD));
	input.late = 4;
	cr_expect(eq(int, judge(input)->status, HEALTH_DEGRADED));
	input = sound();
	input.odd = 1;
	cr_expect(eq(int, judge(input)->status, HEALTH_DEGRADED));
	/* a window of a trace has no end, the whole has */
	input = sound();
	input.reader.clean_end = false;
	cr_expect(eq(int, judge(input)->status, HEALTH_DEGRADED));
	input.complete = false;
	cr_expect(eq(int, judge(input)->status, HEALTH_GOOD));
}

/* Of 100 operations of the device some belong to no call; of 100 calls some have none. */
static enum health_status with_orphans(unsigned orphans, unsigned alone)
{
	static struct device_notes notes;
	notes = (struct device_notes){0};
	builder = builder_new();
	device_state(&builder, SOURCE_ACTIVE);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		if (i >= alone)
			device_call(&notes, &builder, 10);
		if (i < orphans)
			notes.correlation += 1000;
		if (i >= alone)
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 50);
		if (i < orphans)
			notes.correlation -= 1000;
		builder_sync(&builder, 60, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		device_flush(&notes, &builder);
	}
	return judge(sound())->status;
}

Test(soundness, one_percent_without_a_partner_is_only_said)
{
	static const struct {
		unsigned orphans, alone;
		enum health_status status;
		const char *said;
	} cases[] = {
		{1, 0, HEALTH_GOOD, "belong to no recorded call (1.0 %)"},
		{2, 0, HEALTH_DEGRADED, "belong to no recorded call (2.0 %)"},
		{0, 1, HEALTH_GOOD, "have no record of what the GPU did (1.0 %)"},
		{0, 2, HEALTH_DEGRADED, "have no record of what the GPU did (2.0 %)"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect(eq(int, with_orphans(cases[i].orphans, cases[i].alone), cases[i].status),
			"case %zu", i);
		cr_expect(strstr(builder.report->health.reasons[0], cases[i].said) != NULL, "%s",
			builder.report->health.reasons[0]);
		builder_free(&builder);
	}
}
