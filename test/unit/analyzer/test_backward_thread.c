/* SPDX-License-Identifier: MIT */
/* The backward pass on a thread of its own: whose steps they are, what a wait for it is called. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

/*
 * Without an optimiser: the thread that runs the loop and reads the loss has the steps, though the
 * backward pass launches more on its own.
 */
Test(backward_thread, the_backward_thread_runs_no_loop)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		builder_launch(&builder, 20, NAME_KERNEL, 1);
		builder_launch(&builder, 20, NAME_KERNEL_2, 1);
		uint64_t wait = builder.now_ns;
		builder.thread = 2;
		builder_pause(&builder, 400);
		for (unsigned i = 0; i < 8; i++) {
			uint64_t function = builder.now_ns;
			builder_launch(&builder, 10, i % 2 ? NAME_KERNEL : NAME_KERNEL_2, 0);
			builder_op(&builder, function, NAME_BACKWARD, OP_FUNCTION);
		}
		builder.thread = 1;
		builder_pause(&builder, 200);
		builder_add(&builder, &(struct record){.kind = RECORD_INPUT,
					      .call = 4,
					      .place = 4,
					      .begin = wait,
					      .end = builder.now_ns,
					      .c = INPUT_LOCK});
		builder_copy(&builder, 5, COPY_DEVICE_TO_HOST, 4, MEMORY_PAGEABLE, 3);
		builder_sync(&builder, 200, 3);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(int, builder.model->steps.method, STEP_BY_PERIOD));
	cr_expect(eq(u64, report->steps.count, 60));
	cr_expect(eq(u32, report->stepping.thread, 1));
	cr_expect(not(report->stepping.minor));
	cr_expect(builder_finding(report, "sync-scalar-read", 30) != NULL);
	builder_free(&builder);
}

/* That the thread of the backward pass is late is not mended by another thread. */
Test(backward_thread, a_wait_for_the_backward_pass_is_told_as_that)
{
	for (unsigned backward = 0; backward < 2; backward++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < 60; step++) {
			uint64_t begin = builder.now_ns;
			builder_launch(&builder, 20, NAME_KERNEL, 1);
			uint64_t wait = builder.now_ns;
			builder.thread = 2;
			builder_launch(&builder, 10, NAME_KERNEL_2, 0);
			if (backward == 1)
				builder_op(&builder, wait, NAME_BACKWARD, OP_FUNCTION);
			builder.thread = 1;
			for (unsigned i = 0; i < 2; i++) { /* the second wakes it up at last */
				builder_pause(&builder, i == 0 ? 50 : 900);
				builder_add(&builder, &(struct record){.kind = RECORD_INPUT,
							      .call = 4,
							      .place = 4,
							      .begin = wait,
							      .end = builder.now_ns,
							      .c = INPUT_LOCK});
				wait = builder.now_ns;
			}
			builder_sync(&builder, 5, 3);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		const struct finding *blocked = builder_finding(report, "host-blocked", 40);
		cr_assert(blocked != NULL);
		cr_expect(
			eq(int, strstr(blocked->evidence, "waiting for the backward pass") != NULL,
				backward == 1),
			"%s", blocked->evidence);
		cr_expect(eq(int, strstr(blocked->advice, "is the backward pass") != NULL,
				  backward == 1),
			"%s", blocked->advice);
		builder_free(&builder);
	}
}

/* A function of the backward pass; its last 100 us launch, and a hook may sleep before. */
static const struct report *told(struct builder *builder, uint32_t name, uint64_t sleeps_us)
{
	*builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 20, NAME_KERNEL, 1);
		uint64_t wait = builder->now_ns;
		builder->thread = 2;
		struct record function = {.kind = RECORD_OP, .name = name, .begin = wait};
		record_set_OP_scope(&function, OP_BACKWARD_FUNCTION);
		record_set_OP_framework(&function, OP_TORCH);
		builder_pause(builder, 3000 - sleeps_us);
		uint64_t sleep = builder->now_ns;
		builder_pause(builder, sleeps_us);
		if (sleeps_us > 0)
			builder_add(builder, &(struct record){.kind = RECORD_INPUT,
						     .call = 4,
						     .place = 7,
						     .begin = sleep,
						     .end = builder->now_ns,
						     .c = INPUT_SLEEP});
		builder_launch(builder, 100, NAME_KERNEL_2, 0);
		function.end = builder->now_ns;
		builder_add(builder, &function);
		uint64_t around = builder->now_ns;
		builder_op(builder, around, NAME_BACKWARD, OP_FUNCTION);
		builder->thread = 1;
		builder_pause(builder, 100);
		builder_add(builder, &(struct record){.kind = RECORD_INPUT,
					     .call = 4,
					     .place = 4,
					     .begin = wait,
					     .end = builder->now_ns,
					     .c = INPUT_LOCK});
		builder_sync(builder, 5, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

static uint64_t us_of(const struct report *report, enum cause cause)
{
	return report->swept[cause] / report->steps.steady / 1000;
}

/* What is written in Python is the program's code; what PyTorch has of its own launches. */
Test(backward_thread, a_function_in_python_is_code)
{
	struct builder builder;
	const struct report *report = told(&builder, NAME_PYTHON_BACKWARD, 0);
	cr_expect(gt(u64, us_of(report, CAUSE_IDLE_HOST), 2900));
	cr_expect(lt(u64, us_of(report, CAUSE_IDLE_LAUNCH), 200));
	builder_free(&builder);
	report = told(&builder, NAME_OWN_BACKWARD, 0);
	cr_expect(lt(u64, us_of(report, CAUSE_IDLE_HOST), 200));
	cr_expect(gt(u64, us_of(report, CAUSE_IDLE_LAUNCH), 2900));
	builder_free(&builder);
}

/* A hook of a gradient that sleeps blocks who waits for the backward pass, at its own line. */
Test(backward_thread, what_blocks_it_blocks_who_waits)
{
	struct builder builder;
	const struct report *report = told(&builder, NAME_OWN_BACKWARD, 2500);
	cr_expect(gt(u64, us_of(report, CAUSE_IDLE_BLOCKED), 2400));
	cr_expect(builder_finding(report, "host-blocked", 70) != NULL);
	cr_expect(builder_finding(report, "host-blocked", 40) == NULL);
	builder_free(&builder);
}
