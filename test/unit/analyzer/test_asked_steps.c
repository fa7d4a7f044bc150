/* SPDX-License-Identifier: MIT */
/*
 * The user names what a step is. Loops of 200 us: an operator "aten::item" from 0 to 20, a range
 * "activity" from 30 to 180, the optimiser's step from 120 to 160 in it.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/names/stepname.h"
#include "test/unit/analyzer/model_report.h"

static void range(struct builder *builder, uint64_t begin_ns, uint32_t name)
{
	builder_add(builder, &(struct record){.begin = begin_ns,
				     .end = builder->now_ns,
				     .kind = RECORD_RANGE,
				     .name = name});
}

/* nvtx: the range is one; else it is an operator of the user's. */
static void loop(struct builder *builder, unsigned steps, bool nvtx)
{
	for (unsigned i = 0; i < steps; i++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 20, NAME_KERNEL, 1);
		builder_op(builder, begin, NAME_ITEM, OP_FUNCTION);
		builder_pause(builder, 10);
		begin = builder->now_ns;
		builder_launch(builder, 90, NAME_KERNEL, 1);
		uint64_t optimizer = builder->now_ns;
		builder_launch(builder, 40, NAME_KERNEL_2, 2);
		builder_op(builder, optimizer, NAME_OPTIMIZER, OP_USER_SCOPE);
		builder_pause(builder, 20);
		if (nvtx)
			range(builder, begin, NAME_ACTIVITY);
		else
			builder_op(builder, begin, NAME_ACTIVITY, OP_USER_SCOPE);
		builder_pause(builder, 20);
	}
}

/* Another thread that launches has a range of the same name, more often. */
static void beside(struct builder *builder, bool launches)
{
	uint64_t begin = builder->now_ns;
	builder->thread = 2;
	if (launches)
		builder_launch(builder, 5, NAME_KERNEL, 3);
	else
		builder_pause(builder, 5);
	range(builder, begin, NAME_ACTIVITY);
	builder->thread = 1;
}

static void expect(struct builder *builder, enum step_method method, uint64_t count)
{
	const struct report *report = builder_finish(builder);
	cr_assert(eq(int, builder->model->steps.method, method));
	cr_assert(eq(u64, report->steps.count, count));
	/* a step is the range alone; a marker's steps follow each other */
	bool range = method == STEP_BY_RANGE;
	cr_assert(eq(u64, report->steps.median_ns, range ? 150 * US : 200 * US));
	cr_assert(eq(u64, report->accounted_ns, report->steps.total_ns));
	cr_assert(eq(int, strstr(report->between, "between the ranges") != NULL, range));
	cr_assert(eq(int, report->steps_confidence, CONFIDENCE_HIGH));
	cr_assert(ne(int, report->verdict.class, VERDICT_INSUFFICIENT));
}

Test(asked_steps, a_range_of_that_name_goes_before_the_optimizer)
{
	for (int nvtx = 0; nvtx < 2; nvtx++) {
		struct builder builder = builder_asked(STEP_BY_RANGE, "activity");
		loop(&builder, 40, nvtx != 0);
		expect(&builder, STEP_BY_RANGE, 40);
		const struct phases *phases = &builder.model->steps.phases;
		cr_assert(eq(u32, phases->count, 1));
		cr_assert(eq(int, phases->items[0].phase, PHASE_BETWEEN));
		cr_assert(eq(u64, phases->items[0].count, 39));
		cr_assert(eq(u64, phases->items[0].ns, 39 * 50 * US));
		/* one launch in the range and the optimizer's; the one before it is of no step */
		cr_assert(eq(u64, builder.report->counted[MODEL_LAUNCHES],
			2 * builder.report->steps.steady));
		/* a range's end, not the optimizer's step 20 us before it */
		cr_assert(eq(u64, builder.model->steps.cut_ns, builder.now_ns - 20 * US));
		builder_free(&builder);
	}
}

Test(asked_steps, go_before_ranges_that_are_named_like_steps)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "activity");
	for (unsigned i = 0; i < 40; i++) {
		uint64_t begin = builder.now_ns;
		loop(&builder, 1, true);
		range(&builder, begin, NAME_STEP_RANGE);
		builder_op(&builder, begin, NAME_STEP, OP_USER_SCOPE);
	}
	expect(&builder, STEP_BY_RANGE, 40);
	builder_free(&builder);
}

Test(asked_steps, a_range_around_one_of_the_same_name_is_no_step_again)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "activity");
	for (unsigned i = 0; i < 40; i++) {
		uint64_t begin = builder.now_ns;
		loop(&builder, 1, true);
		range(&builder, begin, NAME_ACTIVITY);
	}
	expect(&builder, STEP_BY_RANGE, 40);
	builder_free(&builder);
}

/* So many calls in a range that nobody waits for its end: what was before it stays with it. */
Test(asked_steps, a_range_of_very_many_calls_is_less_certain)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "activity");
	for (unsigned i = 0; i < 6; i++) {
		builder_pause(&builder, 900);
		uint64_t begin = builder.now_ns;
		for (unsigned k = 0; k < MODEL_PREFIX + 10; k++)
			builder_launch(&builder, 1, NAME_KERNEL, 1);
		builder_pause(&builder, 100); /* the device is done where the step ends */
		range(&builder, begin, NAME_ACTIVITY);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 6));
	cr_assert(eq(u64, report->steps.median_ns, (MODEL_PREFIX + 10 + 1000) * US));
	cr_assert(eq(int, report->steps_confidence, CONFIDENCE_MEDIUM));
	cr_assert(eq(
		u64, report->counted[MODEL_LAUNCHES], (MODEL_PREFIX + 10) * report->steps.steady));
	builder_free(&builder);
}

Test(asked_steps, a_marker_may_be_an_operator)
{
	struct builder builder = builder_asked(STEP_BY_MARKER, "aten::item");
	loop(&builder, 40, true);
	expect(&builder, STEP_BY_MARKER, 40);
	cr_assert(eq(u64, builder.model->steps.cut_ns, builder.now_ns - 180 * US));
	builder_free(&builder);
}

Test(asked_steps, a_marker_may_be_a_range)
{
	struct builder builder = builder_asked(STEP_BY_MARKER, "activity");
	loop(&builder, 40, true);
	expect(&builder, STEP_BY_MARKER, 40);
	builder_free(&builder);
}

Test(asked_steps, a_marker_may_be_a_call)
{
	struct builder builder = builder_asked(STEP_BY_MARKER, "call");
	for (unsigned i = 0; i < 40; i++)
		builder_launch(&builder, 200, NAME_KERNEL, 1);
	expect(&builder, STEP_BY_MARKER, 40);
	builder_free(&builder);
}

Test(asked_steps, an_operator_is_no_range)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "aten::item");
	loop(&builder, 40, true);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 0));
	builder_free(&builder);
}

Test(asked_steps, those_of_a_thread_that_launches_count)
{
	for (int launches = 0; launches < 2; launches++) {
		struct builder builder = builder_asked(STEP_BY_RANGE, "activity");
		loop(&builder, 1, true);
		for (unsigned i = 1; i < 40; i++) {
			beside(&builder, launches != 0);
			builder.now_ns -= 5 * US; /* both at a time */
			loop(&builder, 1, true);
			beside(&builder, launches != 0);
			builder.now_ns -= 5 * US;
		}
		expect(&builder, STEP_BY_RANGE, 40);
		builder_free(&builder);
	}
}

Test(asked_steps, of_a_name_that_never_came_there_are_none_and_others_are_named)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "my_step");
	loop(&builder, 40, true);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 0));
	cr_assert(eq(int, report->verdict.class, VERDICT_INSUFFICIENT));
	cr_assert(eq(str, (char *)report->verdict.text,
		"the range my_step never occurred: there are Optimizer.step#SGD.step, activity"));
	builder_free(&builder);
}

Test(asked_steps, names_that_do_not_fit_are_left_out)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "my_step");
	for (unsigned i = 0; i < 40; i++) {
		uint64_t begin = builder.now_ns;
		loop(&builder, 1, true);
		range(&builder, begin, NAME_LOADER);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(str, (char *)report->verdict.text,
		"the range my_step never occurred: there are "
		"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__, activity"));
	builder_free(&builder);
}

Test(asked_steps, of_which_there_are_too_few_are_no_verdict)
{
	struct builder builder = builder_asked(STEP_BY_RANGE, "activity");
	loop(&builder, 2, true);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, report->verdict.class, VERDICT_INSUFFICIENT));
	cr_assert(eq(int, report->steps_confidence, CONFIDENCE_LOW));
	builder_free(&builder);
}

static void came(struct stepname *seen, const struct lookup *lookup, uint32_t id, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		cr_assert(not(stepname_is(seen, lookup, "step", STEPNAME_TEXT, id)));
}

Test(asked_steps, names_alike_come_before_frequent_ones)
{
	const struct lookup lookup = {.text = text_of, .call = call_of};
	const char *others[3];
	struct stepname seen = {0};
	came(&seen, &lookup, NAME_ITEM, 5);
	came(&seen, &lookup, NAME_STEP, 2);
	came(&seen, &lookup, NAME_LOADER, 9);
	came(&seen, &lookup, NAME_STEP_RANGE, 3);
	came(&seen, &lookup, NAME_COUNT, 20); /* has no text */
	cr_assert(eq(sz, stepname_others(&seen, &lookup, "step", others, 3), 3));
	cr_assert(eq(str, (char *)others[0], "step 7"));
	cr_assert(eq(str, (char *)others[1], "ProfilerStep#7"));
	cr_assert(eq(str, (char *)others[2], (char *)text_of(NULL, NAME_LOADER)));
	cr_assert(eq(sz, stepname_others(&seen, &lookup, "step", others, 1), 1));
	cr_assert(eq(str, (char *)others[0], "step 7"));
	cr_assert(stepname_is(&seen, &lookup, "call", STEPNAME_CALL, 1));
	stepname_release(&seen);
}
