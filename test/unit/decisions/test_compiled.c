/* SPDX-License-Identifier: MIT */
/*
 * Programs whose work is calls of compiled functions, without a GPU: which of them ends a step,
 * and what the thread waited for before them and after.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"
#include "test/unit/analyzer/model_report.h"

static struct builder builder;

static void end(void)
{
	builder_free(&builder);
}

TestSuite(compiled, .fini = end);

static void call_compiled(uint64_t us, uint32_t name, uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = name,
				      .place = place,
				      .c = record_bits_OP_framework(OP_JAX)});
}

static void wait_by(uint64_t us, enum input_what what, uint32_t place, uint16_t call)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder,
		&(struct record){.begin = begin,
			.end = builder.now_ns,
			.kind = RECORD_INPUT,
			.call = call,
			.place = place,
			.c = record_bits_INPUT_what(what) | record_bits_INPUT_medium(MEDIUM_PIPE)});
}

static void wait_in(uint64_t us, enum input_what what, uint32_t place)
{
	wait_by(us, what, place, 0);
}

/* Values are made from one line, by functions that a package calls more often than any other. */
static void prepare(void)
{
	for (unsigned i = 0; i < 200; i++)
		call_compiled(20, NAME_KERNEL + i % 2, BUILDER_THROUGH);
}

/* What is called after a batch came, and what is read of it. */
static void train(unsigned steps, uint64_t load_us, uint64_t result_us)
{
	for (unsigned i = 0; i < steps; i++) {
		wait_in(load_us, INPUT_READ, 5);
		call_compiled(100, NAME_ITEM, 3);
		call_compiled(100, NAME_TO, 4);
		wait_in(result_us, INPUT_LOCK, BUILDER_AWAITS);
	}
}

Test(compiled, the_last_one_of_a_round_ends_a_step)
{
	builder = builder_new();
	prepare();
	train(50, 3000, 500);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->steps.count, 50));
	cr_expect(eq(dbl, report->steps.mean_ns, 3700 * US));
}

Test(compiled, what_was_waited_for_before_them_is_data)
{
	builder = builder_new();
	train(50, 3000, 500);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(int, report->verdict.class, VERDICT_IO));
	double loads = builder_pct(report, CAUSE_IDLE_INPUT);
	cr_expect(loads > 80 && loads < 82, "%.1f", loads);
}

Test(compiled, what_was_waited_for_after_them_is_their_work)
{
	builder = builder_new();
	train(50, 50, 3500);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(int, report->verdict.class, VERDICT_CPU));
	cr_expect(eq(str, (char *)report->verdict.cause, "host_operators"));
	cr_expect(builder_pct(report, CAUSE_HOST_OPERATORS) > 95);
}

/* A method of a result that is no Python code (block_until_ready) waits at the program's line. */
static const struct report *train_with_method(uint16_t call)
{
	builder = builder_new();
	for (unsigned i = 0; i < 50; i++) {
		call_compiled(100, NAME_ITEM, 3);
		wait_by(3500, INPUT_LOCK, 4, call);
		builder_pause(&builder, 100);
	}
	return builder_finish(&builder);
}

Test(compiled, what_their_methods_wait_for_is_their_work)
{
	const struct report *report = train_with_method(CALL_SYSCALL);
	cr_expect(eq(int, report->verdict.class, VERDICT_CPU));
	cr_expect(builder_pct(report, CAUSE_HOST_OPERATORS) > 95);
	cr_expect(builder_finding(report, "input-bound", 40) == NULL);
	const struct finding *finding = builder_finding(report, "host-operator", 40);
	cr_assert(finding != NULL);
	cr_expect(strstr(finding->evidence, "waits for the results of aten::item") != NULL, "%s",
		finding->evidence);
}

Test(compiled, what_locks_of_other_kinds_wait_for_may_be_data)
{
	const struct report *report = train_with_method(0);
	cr_expect(eq(int, report->verdict.class, VERDICT_IO));
}

/* The wait is for what the program has called, and not for what a package looks up in it. */
static const struct finding *wait_behind(uint32_t name, uint32_t place, uint32_t other)
{
	builder = builder_new();
	for (unsigned i = 0; i < 50; i++) {
		call_compiled(100, NAME_ITEM, 3);
		call_compiled(100, name, place);
		call_compiled(100, other, BUILDER_THROUGH);
		wait_in(3500, INPUT_LOCK, BUILDER_AWAITS);
	}
	const struct report *report = builder_finish(&builder);
	for (unsigned i = 0; i < report->finding_count; i++)
		if (strstr(report->findings[i].evidence, "waits for") != NULL)
			return &report->findings[i];
	return NULL;
}

Test(compiled, a_wait_is_for_what_the_program_called)
{
	const struct finding *finding = wait_behind(NAME_ITEM, 4, NAME_TO);
	cr_assert(finding != NULL);
	cr_expect(eq(str, (char *)finding->op, "aten::item"));
}

Test(compiled, a_wait_for_several_names_none)
{
	const struct finding *finding = wait_behind(NAME_NONZERO, 4, NAME_TO);
	cr_assert(finding != NULL);
	cr_expect(finding->op == NULL);
	cr_expect(strstr(finding->evidence, "waits for the results of several") != NULL, "%s",
		finding->evidence);
}

/* The host runs ahead, and then is held up in each tenth step. */
static const struct report *hold_each_tenth(enum input_what what, uint32_t place)
{
	builder = builder_new();
	for (unsigned i = 0; i < 100; i++) {
		call_compiled(100, NAME_ITEM, 3);
		if (i % 10 == 9)
			wait_in(40000, what, place);
		builder_pause(&builder, 50);
	}
	return builder_finish(&builder);
}

Test(compiled, steps_that_wait_for_what_others_called_are_not_unusual)
{
	const struct report *report = hold_each_tenth(INPUT_LOCK, BUILDER_AWAITS);
	cr_expect(eq(u64, report->steps.count, 100));
	cr_expect(builder_finding(report, "step-outlier", 0) == NULL);
	cr_expect(builder_finding(report, "step-outlier", 30) == NULL);
}

Test(compiled, steps_that_wait_for_anything_else_are_unusual)
{
	const struct report *report = hold_each_tenth(INPUT_SLEEP, 5);
	cr_expect(builder_finding(report, "step-outlier", 50) != NULL);
}

Test(compiled, a_program_that_only_a_package_calls_has_steps_too)
{
	builder = builder_new();
	for (unsigned i = 0; i < 50; i++)
		call_compiled(1000, NAME_ITEM, BUILDER_THROUGH);
	cr_expect(eq(u64, builder_finish(&builder)->steps.count, 50));
}

/* What JAX does with a GPU: a compiled function launches, and its result is waited for. */
static void train_on_gpu(unsigned steps, uint64_t load_us, uint64_t result_us)
{
	for (unsigned i = 0; i < steps; i++) {
		wait_in(load_us, INPUT_READ, 5);
		uint64_t begin = builder.now_ns;
		for (unsigned j = 0; j < 1 + i % 3; j++)
			builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_add(&builder, &(struct record){.begin = begin,
					      .end = builder.now_ns,
					      .kind = RECORD_OP,
					      .name = NAME_ITEM,
					      .place = 3,
					      .c = record_bits_OP_framework(OP_JAX)});
		wait_in(result_us, INPUT_LOCK, BUILDER_AWAITS);
	}
}

Test(compiled, with_a_gpu_those_that_launch_end_steps)
{
	builder = builder_new();
	train_on_gpu(50, 3000, 500);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->steps.count, 50));
	double loads = builder_pct(report, CAUSE_IDLE_INPUT);
	cr_expect(loads > 83 && loads < 87, "%.1f", loads);
}

Test(compiled, with_a_gpu_what_was_waited_for_after_them_is_no_data)
{
	builder = builder_new();
	train_on_gpu(50, 50, 3500);
	const struct report *report = builder_finish(&builder);
	double loads = builder_pct(report, CAUSE_IDLE_INPUT);
	cr_expect(loads < 3, "%.1f", loads);
}

Test(compiled, with_a_gpu_those_that_launch_nothing_end_nothing)
{
	builder = builder_new();
	for (unsigned i = 0; i < 50; i++) {
		call_compiled(100, NAME_ITEM, 3);
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		call_compiled(100, NAME_ITEM, 3);
		builder_sync(&builder, 900, 3);
	}
	cr_expect(eq(u64, builder_finish(&builder)->steps.count, 50));
}

/* Epochs of 20 steps, each followed by calls of another function, whose results are waited for. */
static const struct report *train_and_evaluate(bool waits)
{
	builder = builder_new();
	for (unsigned epoch = 0; epoch < 4; epoch++) {
		for (unsigned i = 0; i < 20; i++) {
			builder_pause(&builder, 200);
			call_compiled(800, NAME_ITEM, 3);
			if (waits)
				wait_in(1000, INPUT_LOCK, BUILDER_AWAITS);
		}
		for (unsigned i = 0; i < 8; i++) {
			builder_pause(&builder, 200);
			call_compiled(800, NAME_TO, 4);
			wait_in(waits || i > 0 ? 4000 : 24000, INPUT_LOCK, BUILDER_AWAITS);
		}
	}
	return builder_finish(&builder);
}

Test(compiled, evaluation_by_another_function_is_no_part_of_a_step)
{
	const struct report *report = train_and_evaluate(true);
	cr_expect(eq(u64, report->steps.count, 80));
	cr_expect(report->steps.mean_ns < 2100 * US, "%llu",
		(unsigned long long)report->steps.mean_ns);
	cr_assert(eq(u32, report->model->steps.phases.count, 1));
	cr_expect(eq(int, report->model->steps.phases.items[0].phase, PHASE_EVALUATION));
	cr_expect(eq(u32, report->model->steps.phases.items[0].place, 4));
	cr_expect(eq(u64, report->model->steps.phases.items[0].count, 4));
	cr_expect(builder_finding(report, "step-outlier", 0) == NULL);
}

/* Then the first wait of an evaluation is for the steps before it. */
Test(compiled, work_that_is_only_waited_for_in_an_evaluation_stays_that_of_steps)
{
	const struct report *report = train_and_evaluate(false);
	cr_expect(eq(u64, report->steps.count, 80));
	cr_expect(report->steps.mean_ns > 2000 * US && report->steps.mean_ns < 2400 * US, "%llu",
		(unsigned long long)report->steps.mean_ns);
}

/* Steps of one function through a library, for each so many calls of another one, in epochs. */
static uint64_t steps_beside(uint32_t trains, uint32_t other, unsigned others)
{
	if (builder.model != NULL)
		end();
	builder = builder_new();
	for (unsigned epoch = 0; epoch < 4; epoch++) {
		for (unsigned i = 0; i < 50; i++) {
			call_compiled(1000, trains, BUILDER_THROUGH);
			wait_in(1000, INPUT_LOCK, BUILDER_AWAITS);
		}
		for (unsigned i = 0; i < others; i++) {
			call_compiled(500, other, 4);
			wait_in(500, INPUT_LOCK, BUILDER_AWAITS);
		}
	}
	return builder_finish(&builder)->steps.count;
}

Test(compiled, what_the_program_has_compiled_counts_though_a_library_calls_it)
{
	cr_expect(eq(u64, steps_beside(NAME_JIT_SUM, NAME_JIT_EVALUATE, 20), 200));
	cr_expect(eq(u64, steps_beside(NAME_JIT_SUM, NAME_JAX_ADD, 80), 200));
}

Test(compiled, what_says_that_it_evaluates_ends_no_step_however_often_it_comes)
{
	cr_expect(eq(u64, steps_beside(NAME_JIT_SUM, NAME_JIT_EVALUATE, 150), 200));
	cr_expect(eq(u64, steps_beside(NAME_JIT_TRAIN, NAME_JIT_SUM, 150), 200));
	cr_expect(eq(u64, steps_beside(NAME_JAX_ADD, NAME_JIT_EVALUATE, 150), 600));
}

static void op_on(uint32_t thread, uint64_t begin_us, uint64_t end_us, uint32_t name,
	enum op_scope scope, uint32_t place)
{
	builder.thread = thread;
	builder_add(&builder, &(struct record){.begin = begin_us * US,
				      .end = end_us * US,
				      .kind = RECORD_OP,
				      .name = name,
				      .place = place,
				      .c = record_bits_OP_framework(OP_TENSORFLOW) |
					   record_bits_OP_scope(scope)});
}

/*
 * A call of TensorFlow's, of 10 ms: the program's thread waits for one of the framework, which
 * takes batches, made by a third one meanwhile, and computes.
 */
static void call_function(uint64_t at_us, uint64_t load_us, unsigned loads, uint32_t name)
{
	for (unsigned i = 0; i < loads; i++)
		op_on(2, at_us + 100 + load_us / loads * i, at_us + 100 + load_us / loads * (i + 1),
			NAME_NEXT, OP_USER_SCOPE, 0);
	op_on(3, at_us, at_us + 50 + load_us, NAME_STAGE, OP_FUNCTION, 0);
	op_on(2, at_us + 100 + load_us, at_us + 9900, NAME_KERNEL, OP_FUNCTION, 0);
	builder.thread = 1;
	builder_add(&builder, &(struct record){.begin = (at_us + 50) * US,
				      .end = (at_us + 9950) * US,
				      .kind = RECORD_INPUT,
				      .call = CALL_SYSCALL,
				      .place = BUILDER_THROUGH,
				      .c = record_bits_INPUT_what(INPUT_LOCK)});
	op_on(1, at_us, at_us + 10000, name, OP_FUNCTION, BUILDER_THROUGH);
}

/* After each tenth call the data is over, and another function, which tests, is called. */
static const struct report *fit(uint64_t load_us, unsigned loads)
{
	uint64_t at_us = 2000000;
	builder = builder_new();
	for (unsigned i = 0; i < 60; i++) {
		call_function(at_us, load_us, loads, NAME_COMPILED);
		at_us += 10100;
		if (i % 10 == 9) {
			op_on(1, at_us, at_us + 500, NAME_COMPILED, OP_FUNCTION, BUILDER_THROUGH);
			at_us += 600;
		}
		for (unsigned j = 0; i % 10 == 9 && j < 4; j++, at_us += 10100)
			call_function(at_us, load_us, loads, NAME_COMPILED_2);
	}
	return builder_finish(&builder);
}

Test(compiled, their_calls_are_steps_where_they_take_the_batches)
{
	const struct report *report = fit(500, 1);
	cr_expect(eq(u64, report->steps.count, 60));
	cr_expect(eq(u32, report->stepping.thread, 1));
	cr_expect(eq(int, report->verdict.class, VERDICT_CPU));
	cr_expect(eq(str, (char *)report->verdict.cause, "host_operators"));
}

Test(compiled, the_caller_waits_for_the_batches_that_they_take)
{
	const struct report *report = fit(6000, 1);
	double loads = builder_pct(report, CAUSE_IDLE_INPUT);
	cr_expect(eq(int, report->verdict.class, VERDICT_IO));
	cr_expect(loads > 57 && loads < 61, "%.1f", loads);
	cr_expect(report->reader_pct - loads < 1 && loads - report->reader_pct < 1, "%.1f",
		report->reader_pct);
	cr_expect(builder_finding(report, "input-bound", 10 * BUILDER_THROUGH) != NULL);
}

Test(compiled, batches_are_steps_where_a_call_takes_many)
{
	cr_expect(eq(u64, fit(6000, 10)->steps.count, 840));
}
