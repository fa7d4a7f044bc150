/* SPDX-License-Identifier: MIT */
/* Pauses that Python makes by itself: when they are a finding, at which line, and what it gains. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/* 1 ms of which pause_us go into a pause, in steps first .. until - 1, of thread 1 or another. */
struct loop {
	const char *name;
	unsigned first, until;
	uint64_t pause_us, wait_us;
	uint32_t thread, place;
	bool found;
};

static void collect(struct builder *builder, uint64_t us, uint32_t place, unsigned generation)
{
	call(builder, us,
		(struct record){.kind = RECORD_COLLECTION,
			.place = place,
			.a = 7,
			.c = record_bits_COLLECTION_generation(generation)});
}

static void wait_for_lock(struct builder *builder, uint64_t us, uint32_t place, uint32_t holder)
{
	call(builder, us,
		(struct record){
			.kind = RECORD_GIL, .place = place, .a = record_bits_GIL_holder(holder)});
}

static const struct report *run(struct builder *builder, const struct loop *loop, bool lock)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_pause(builder, 100);
		bool due = step >= loop->first && step < loop->until;
		builder->thread = loop->thread;
		if (due && lock)
			wait_for_lock(builder, loop->pause_us, loop->place, 99);
		else if (due)
			collect(builder, loop->pause_us, loop->place, step % 2 == 0 ? 2 : 0);
		builder->thread = 1;
		builder_pause(builder, 890 - loop->wait_us - loop->pause_us);
		builder_sync(builder, loop->wait_us, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

static const struct loop loops[] = {
	{"a tenth of each step", 0, STEPS, 100, 2, 1, 4, true},
	{"a hundredth of each step", 0, STEPS, 10, 2, 1, 4, true},
	{"less than that", 0, STEPS, 9, 2, 1, 4, false},
	{"in warm-up only", 0, 10, 100, 2, 1, 4, false},
	{"on a thread that launches nothing", 0, STEPS, 100, 2, 2, 4, false},
};

Test(rules_pauses, fire_from_their_limits_on_and_for_the_training_thread_only)
{
	static const char *const rules[] = {"host-gc", "host-gil"};
	for (size_t i = 0; i < 2 * sizeof(loops) / sizeof(loops[0]); i++) {
		struct builder builder;
		const struct loop *loop = &loops[i / 2];
		const struct report *report = run(&builder, loop, i % 2 == 1);
		cr_expect(eq(int, builder_finding(report, rules[i % 2], 40) != NULL, loop->found),
			"%s %s", rules[i % 2], loop->name);
		cr_expect(builder_finding(report, rules[1 - i % 2], 40) == NULL, "%s", loop->name);
		builder_free(&builder);
	}
}

Test(rules_pauses, a_collection_gains_what_it_idles_the_gpu_for)
{
	const struct loop loop = {"idle", 0, STEPS, 400, 2, 1, 4, true};
	struct builder builder;
	const struct report *report = run(&builder, &loop, false);
	const struct finding *finding = builder_finding(report, "host-gc", 40);
	cr_assert(finding != NULL);
	cr_assert(eq(dbl, finding->calls_per_step, 1.0));
	cr_assert(eq(u64, finding->host_ns, 400 * US));
	cr_assert(finding->gain_pct > 39 && finding->gain_pct < 41, "%f", finding->gain_pct);
	cr_assert(
		builder_pct(report, CAUSE_IDLE_GC) > 39 && builder_pct(report, CAUSE_IDLE_GC) < 41);
	cr_assert(strstr(finding->evidence, "0.50 of them of all generations") != NULL, "%s",
		finding->evidence);
	cr_assert(strstr(finding->evidence, "at most 400.0 us") != NULL, "%s", finding->evidence);
	cr_assert(report->predicted_ns <= finding->predicted_ns);
	builder_free(&builder);
}

/* One in twenty steps is not "0.0", and what a longer one before them took is not theirs. */
Test(rules_pauses, rare_ones_are_counted_and_earlier_ones_are_not_theirs)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < 3 * STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		if (step == 2 || step == 50 || step == 70 || step == 90)
			collect(&builder, step == 2 ? 90000 : 2000, 4, 0);
		builder_sync(&builder, 50, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *finding = builder_finding(report, "host-gc", 40);
	cr_assert(finding != NULL);
	cr_expect(strstr(finding->evidence, "0.027 collections per step") != NULL, "%s",
		finding->evidence);
	cr_expect(strstr(finding->evidence, "take 2.00 ms each;") != NULL, "%s", finding->evidence);
	for (unsigned i = 0; i < report->finding_count; i++)
		cr_expect(report->findings[i].rule->id != RULE_ID_step_outlier); /* that is why */
	builder_free(&builder);
}

Test(rules_pauses, behind_a_busy_gpu_gain_nothing)
{
	const struct loop loop = {"busy", 0, STEPS, 100, 780, 1, 4, true};
	struct builder builder;
	const struct report *report = run(&builder, &loop, false);
	const struct finding *finding = builder_finding(report, "host-gc", 40);
	cr_assert(finding != NULL);
	cr_assert(finding->gain_pct < 1.5, "%f", finding->gain_pct);
	builder_free(&builder);
}

/* Turns that follow each other are one wait; who held the lock for longest is named. */
Test(rules_pauses, waits_for_the_lock_in_turns)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_pause(&builder, 200);
		wait_for_lock(&builder, 5000, 4, 99);
		builder_pause(&builder, 20);
		wait_for_lock(&builder, 5000, 4, 99);
		builder_pause(&builder, 20);
		wait_for_lock(&builder, 1000, 4, 98);
		builder_pause(&builder, 200);
		wait_for_lock(&builder, 600, 5, 0);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *finding = builder_finding(report, "host-gil", 40);
	cr_assert(finding != NULL);
	cr_assert(eq(dbl, finding->calls_per_step, 2.0));
	cr_assert(eq(u64, finding->host_ns, 11600 * US));
	cr_assert(strstr(finding->evidence, "95 % of that time at this line") != NULL, "%s",
		finding->evidence);
	cr_assert(strstr(finding->evidence, "thread 99 held it for 91 % of that") != NULL, "%s",
		finding->evidence);
	builder_free(&builder);
}

/* A thread that takes turns with the one that steps waits while that one runs code of its own. */
Test(rules_pauses, a_helper_that_waits_for_the_thread_that_steps_holds_nobody_up)
{
	static const struct {
		uint32_t holder;
		bool held;
	} cases[] = {{1, false}, {99, true}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder.thread = 2;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			wait_for_lock(&builder, 5000, 4, cases[i].holder);
			builder.thread = 1;
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(int, report->counted[MODEL_GIL_NS] > 0, cases[i].held));
		builder_free(&builder);
	}
}

/* Code that is interrupted often is code, not launching, however short its parts are. */
Test(rules_pauses, code_between_collections_is_code)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		for (unsigned i = 0; i < 40; i++) {
			builder_pause(&builder, 15);
			collect(&builder, 10, 4, 0);
		}
		builder_pause(&builder, 15);
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 2, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(
		builder_pct(report, CAUSE_IDLE_GC) > 35, "%f", builder_pct(report, CAUSE_IDLE_GC));
	cr_expect(builder_pct(report, CAUSE_IDLE_HOST) > 55, "%f",
		builder_pct(report, CAUSE_IDLE_HOST));
	cr_expect(builder_pct(report, CAUSE_IDLE_LAUNCH) < 4, "%f",
		builder_pct(report, CAUSE_IDLE_LAUNCH));
	builder_free(&builder);
}

/* One short collection between two launches does not make them apart. */
Test(rules_pauses, launching_around_a_collection_is_launching)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		for (unsigned i = 0; i < 20; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_pause(&builder, 15);
			if (i == 10)
				collect(&builder, 10, 4, 0);
			builder_pause(&builder, 15);
		}
		builder_sync(&builder, 2, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(builder_pct(report, CAUSE_IDLE_HOST) < 1, "%f",
		builder_pct(report, CAUSE_IDLE_HOST));
	builder_free(&builder);
}
