/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/steps/period.h"
#include "test/unit/analyzer/model_report.h"

/* A step whose work the device has done when its calls end. */
static void step(struct steps *steps, uint64_t ns)
{
	cr_assert(steps_cut(steps, ns));
	steps_end(steps, ns, 0);
}

/* Steps of the lengths (ms), summarised. */
static struct steps_summary after(const uint64_t *lengths, size_t count)
{
	struct steps *steps = malloc(sizeof(*steps));
	struct steps_summary summary;
	uint64_t now = 1;
	steps_init(steps, now);
	for (size_t i = 0; i < count; i++)
		step(steps, now += lengths[i]);
	steps_summarise(steps, &summary);
	free(steps);
	return summary;
}

Test(steps, none)
{
	struct steps_summary summary = after(NULL, 0);
	cr_assert(eq(u64, summary.steady, 0));
	cr_assert(eq(u64, summary.median_ns, 0));
}

Test(steps, first_step_and_slow_ones_are_warm_up)
{
	const uint64_t lengths[] = {900, 50, 25, 10, 10, 11, 9, 10, 10};
	struct steps_summary summary = after(lengths, 9);
	cr_assert(eq(u64, summary.count, 9));
	cr_assert(eq(u64, summary.warmup, 3));
	cr_assert(eq(u64, summary.steady, 6));
	cr_assert(eq(u64, summary.median_ns, 10));
	cr_assert(eq(u64, summary.min_ns, 9));
	cr_assert(eq(u64, summary.max_ns, 11));
	cr_assert(eq(u64, summary.total_ns, 60));
}

Test(steps, ten_of_many_are_warm_up)
{
	uint64_t lengths[100];
	for (size_t i = 0; i < 100; i++)
		lengths[i] = i == 10 ? 70 : i < 10 ? 20 : 10;
	struct steps_summary summary = after(lengths, 100);
	cr_assert(eq(u64, summary.warmup, 11));
	cr_assert(eq(u64, summary.steady, 89));
	cr_assert(eq(u64, summary.total_ns, 890));
}

Test(steps, order_of_min_mean_and_max)
{
	uint64_t lengths[1000];
	for (size_t i = 0; i < 1000; i++)
		lengths[i] = 100 + i * 7919 % 101;
	struct steps_summary summary = after(lengths, 1000);
	cr_assert(summary.min_ns <= summary.median_ns && summary.median_ns <= summary.p95_ns &&
		  summary.p95_ns <= summary.max_ns);
	uint64_t mean = summary.total_ns / summary.steady;
	cr_assert(summary.min_ns <= mean && mean <= summary.max_ns);
}

Test(steps, memory_does_not_grow)
{
	struct steps *steps = malloc(sizeof(*steps));
	struct steps_summary summary;
	uint64_t now = 1;
	steps_init(steps, now);
	for (uint64_t i = 0; i < 10 * STEPS_SAMPLES; i++)
		step(steps, now += 1000 + i % 3);
	steps_summarise(steps, &summary);
	cr_assert(eq(u64, summary.count, 10 * STEPS_SAMPLES));
	cr_assert(eq(u64, summary.median_ns, 1001));
	cr_assert(eq(u64, summary.max_ns, 1002));
	free(steps);
}

Test(steps, a_cut_that_does_not_move_on_is_none)
{
	struct steps *steps = malloc(sizeof(*steps));
	steps_init(steps, 100);
	cr_assert(not(steps_cut(steps, 100)));
	cr_assert(not(steps_cut(steps, 50)));
	cr_assert(steps_cut(steps, 101));
	cr_assert(eq(u64, steps->count, 1));
	free(steps);
}

static uint64_t token(uint64_t number, enum token_rank rank)
{
	return (number + 1) << 8 | 4 | rank;
}

/* n launches of which the first k differ, an upload, a read; every tenth step another read. */
static uint32_t loop(
	uint64_t *tokens, unsigned steps, unsigned launches, unsigned distinct, bool log)
{
	uint32_t count = 0;
	tokens[count++] = token(90, TOKEN_LAUNCH);
	for (unsigned step = 0; step < steps; step++) {
		tokens[count++] = token(91, TOKEN_UPLOAD);
		for (unsigned i = 0; i < launches; i++)
			tokens[count++] = token(i % distinct, TOKEN_LAUNCH);
		if (log && step % 10 == 9)
			tokens[count++] = token(93, TOKEN_READ);
	}
	tokens[count++] = token(94, TOKEN_SYNC);
	return count;
}

Test(period, one_upload_per_step)
{
	uint64_t tokens[2000];
	struct period period;
	uint32_t count = loop(tokens, 40, 20, 2, false);
	cr_assert(period_find(tokens, count, &period));
	cr_assert(eq(u32, period.length, 21));
	cr_assert(eq(u64, period.anchor, token(91, TOKEN_UPLOAD)));
}

Test(period, what_is_done_every_tenth_step_is_no_step)
{
	uint64_t tokens[4000];
	struct period period;
	uint32_t count = loop(tokens, 100, 20, 2, true);
	cr_assert(period_find(tokens, count, &period));
	cr_assert(eq(u32, period.length, 21));
	cr_assert(eq(u64, period.anchor, token(91, TOKEN_UPLOAD)));
}

Test(period, no_pattern_no_period)
{
	uint64_t tokens[500];
	struct period period;
	for (uint32_t i = 0; i < 500; i++)
		tokens[i] = token(i * 2654435761u % 4093, TOKEN_LAUNCH);
	cr_assert(not(period_find(tokens, 500, &period)));
	cr_assert(not(period_find(tokens, 0, &period)));
	cr_assert(not(period_find(tokens, 2, &period)));
}

static void step_of_launches(struct builder *builder)
{
	builder_copy(builder, 5, COPY_HOST_TO_DEVICE, 4096, MEMORY_PINNED, 5);
	for (unsigned i = 0; i < 9; i++)
		builder_launch(builder, 10, NAME_KERNEL, 1);
	builder_launch(builder, 10, NAME_KERNEL_2, 2);
}

Test(steps, found_in_a_program_without_marks)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 30; i++)
		step_of_launches(&builder);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_PERIOD));
	cr_assert(eq(u64, report->steps.count, 30));
	cr_assert(eq(u64, report->steps.median_ns, 105 * US));
	builder_free(&builder);
}

/* Launches that repeat within a step, at whose end page-locked memory is set: the host waits. */
Test(steps, end_at_a_set_that_holds_the_host)
{
	static const enum memory_kind memories[] = {MEMORY_PINNED, MEMORY_DEVICE};
	static const uint64_t counts[] = {30, 120};
	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < 30; step++) {
			for (unsigned j = 0; j < 4; j++) {
				builder_launch(&builder, 10, NAME_KERNEL, 1);
				builder_launch(&builder, 10, NAME_KERNEL_2, 2);
			}
			struct record set = {.kind = RECORD_SET, .call = 7, .a = 64, .place = 3};
			record_set_SET_memory(&set, memories[i]);
			call(&builder, 100, set);
		}
		const struct report *report = builder_finish(&builder);
		cr_assert(eq(int, builder.model->steps.method, STEP_BY_PERIOD));
		cr_expect(eq(u64, report->steps.count, counts[i]));
		builder_free(&builder);
	}
}

Test(steps, better_marks_take_over)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 20; i++) {
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, 100);
		builder_op(&builder, begin, NAME_LOADER, OP_USER_SCOPE);
		step_of_launches(&builder);
		begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_OPTIMIZER));
	cr_assert(eq(u64, report->steps.count, 20));
	cr_assert(eq(u64, report->steps.median_ns, 215 * US));
	builder_free(&builder);
}

Test(steps, two_optimisers_on_one_batch_are_one_step)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 20; i++) {
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, 100);
		builder_op(&builder, begin, NAME_LOADER, OP_USER_SCOPE);
		for (unsigned half = 0; half < 2; half++) {
			begin = builder.now_ns;
			step_of_launches(&builder);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 20));
	builder_free(&builder);
}

Test(steps, a_launch_before_the_first_batch_changes_nothing)
{
	struct builder builder = builder_new();
	step_of_launches(&builder);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, 100);
		builder_op(&builder, begin, NAME_LOADER, OP_USER_SCOPE);
		begin = builder.now_ns;
		step_of_launches(&builder);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_OPTIMIZER));
	cr_assert(eq(u64, report->steps.count, 20));
	builder_free(&builder);
}

/* A loop of steps of 110 us; the process is stopped for a second in one of them. */
Test(steps, a_step_in_which_the_process_stood_still_has_no_length)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 40; i++) {
		uint64_t begin = builder.now_ns;
		step_of_launches(&builder);
		if (i == 25) {
			struct record mark = {.kind = RECORD_MARK,
				.begin = builder.now_ns,
				.end = builder.now_ns + 1000000 * US};
			record_set_MARK_what(&mark, MARK_STOPPED);
			builder.now_ns = mark.end;
			builder_add(&builder, &mark);
		}
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 40));
	cr_assert(eq(u64, report->steps.steady, 29));
	cr_assert(lt(u64, report->steps.max_ns, 1000 * US));
	cr_assert(eq(u64, report->accounted_ns, report->steps.total_ns));
	cr_assert(eq(str, (char *)report->between,
			  "no part of the steps: stopped 1 time, 99.6 % of the run"),
		"%s", report->between);
	builder_free(&builder);
}

/* Forty steps of the optimiser; those outside of [first, last] pass while recording is off. */
static void windowed(struct builder *builder, unsigned first, unsigned last)
{
	struct record off = {.kind = RECORD_MARK, .begin = builder->now_ns};
	record_set_MARK_what(&off, MARK_OFF);
	for (unsigned i = 0; i < 40; i++) {
		bool is_on = i >= first && i <= last;
		if (is_on && i == first && first > 0) {
			off.end = builder->now_ns;
			record_set_MARK_optimizer_steps(&off, first);
			builder_add(builder, &off);
		}
		uint64_t begin = builder->now_ns;
		if (is_on) {
			step_of_launches(builder);
			builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		} else {
			builder_pause(builder, 500);
		}
		if (i == last)
			off.begin = builder->now_ns;
	}
	off.end = builder->now_ns;
	record_set_MARK_optimizer_steps(&off, 39 - last);
	if (last < 39)
		builder_add(builder, &off);
}

Test(steps, a_window_has_the_numbers_of_the_run)
{
	for (unsigned first = 0; first <= 20; first += 10) {
		struct builder builder = builder_new();
		windowed(&builder, first, 30);
		const struct report *report = builder_finish(&builder);
		const struct steps *steps = &builder.model->steps;
		cr_assert(eq(int, steps->method, STEP_BY_OPTIMIZER));
		cr_assert(eq(u64, report->steps.count, 40));
		cr_assert(eq(u64, steps->ended, 40));
		cr_assert(eq(u64, steps->skips.steps, first + 9));
		/* the first one has no known beginning; from 30 steps on ten are warm-up */
		cr_assert(eq(u64, report->steps.steady, first == 0 ? 21 : 30 - first));
		cr_assert(lt(u64, report->steps.max_ns, 115 * US));
		cr_assert(gt(u64, report->steps.min_ns, 100 * US));
		cr_assert(eq(u64, report->accounted_ns, report->steps.total_ns));
		cr_assert(zero(u64, report->counted[MODEL_LAUNCHES] % report->steps.steady));
		cr_assert(gt(u64, report->counted[MODEL_LAUNCHES], report->steps.steady));
		builder_free(&builder);
	}
}

Test(steps, many_steps_may_pass_unrecorded)
{
	struct builder builder = builder_new();
	for (unsigned round = 0; round < 12; round++) {
		struct record off = {.kind = RECORD_MARK, .begin = builder.now_ns};
		record_set_MARK_what(&off, MARK_OFF);
		builder_pause(&builder, 1000);
		off.end = builder.now_ns;
		record_set_MARK_optimizer_steps(&off, 1000000);
		builder_add(&builder, &off);
		for (unsigned i = 0; i < 3; i++) {
			uint64_t begin = builder.now_ns;
			step_of_launches(&builder);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
	}
	const struct report *report = builder_finish(&builder);
	const struct step_skips *skips = &builder.model->steps.skips;
	cr_assert(eq(u64, report->steps.count, 12000036));
	cr_assert(eq(u64, report->steps.steady, 24));
	cr_assert(eq(u64, skips->steps, 12000000));
	cr_assert(eq(u64, skips->items[1].first, 1000003));
	cr_assert(lt(u64, report->steps.max_ns, 115 * US));
	cr_assert(gt(u64, report->steps.min_ns, 100 * US));
	cr_assert(eq(u64, report->accounted_ns, report->steps.total_ns));
	builder_free(&builder);
}
