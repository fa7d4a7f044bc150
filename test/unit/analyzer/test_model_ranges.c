/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/names/opname.h"
#include "test/unit/analyzer/model_report.h"

static void range(struct builder *builder, uint64_t begin_ns, uint32_t name)
{
	builder_add(builder, &(struct record){.begin = begin_ns,
				     .end = builder->now_ns,
				     .kind = RECORD_RANGE,
				     .name = name});
}

/* Loops of 200 us with an optimiser's step in the middle; ranges around them as asked. */
static void loop(struct builder *builder, unsigned steps, unsigned ranges, bool nested)
{
	for (unsigned i = 0; i < steps; i++) {
		uint64_t outer = builder->now_ns;
		builder_pause(builder, 10);
		uint64_t inner = builder->now_ns;
		builder_launch(builder, 90, NAME_KERNEL, 1);
		builder_op(builder, inner, NAME_OPTIMIZER, OP_USER_SCOPE);
		builder_launch(builder, 90, NAME_KERNEL_2, 2);
		if (i < ranges)
			range(builder, inner, NAME_STEP_RANGE);
		builder_pause(builder, 10);
		if (nested && i < ranges)
			range(builder, outer, NAME_ITERATION);
	}
}

Test(ranges, named_like_steps_are_steps)
{
	struct builder builder = builder_new();
	loop(&builder, 40, 40, false);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_MARK));
	cr_assert(eq(u64, report->steps.count, 38)); /* the first two were not known to be any */
	cr_assert(eq(u64, report->steps.median_ns, 200 * US));
	builder_free(&builder);
}

Test(ranges, around_steps_are_not_steps_again)
{
	struct builder builder = builder_new();
	loop(&builder, 40, 40, true);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 38));
	cr_assert(eq(u64, report->steps.min_ns, 200 * US));
	cr_assert(eq(u64, report->steps.max_ns, 200 * US));
	builder_free(&builder);
}

Test(ranges, that_come_once_or_twice_are_no_steps)
{
	struct builder builder = builder_new();
	loop(&builder, 40, 2, false);
	(void)builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_OPTIMIZER));
	builder_free(&builder);
}

Test(ranges, of_threads_that_launch_nothing_are_no_steps)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 40; i++) {
		uint64_t begin = builder.now_ns;
		loop(&builder, 1, 0, false);
		builder.thread = 2;
		range(&builder, begin, NAME_STEP_RANGE);
		builder.thread = 1;
	}
	(void)builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_OPTIMIZER));
	builder_free(&builder);
}

/* As preload/marks/user/libtrace.h says that a step ends. */
static void tell(struct builder *builder)
{
	builder_add(builder, &(struct record){.begin = builder->now_ns,
				     .end = builder->now_ns,
				     .kind = RECORD_RANGE,
				     .name = NAME_STEP,
				     .d = RANGE_MARK | RANGE_STEP});
}

Test(ranges, what_the_program_says_goes_before_optimizers_and_marks)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 20; i++) {
		loop(&builder, 2, 2, false); /* two batches a step */
		builder.thread = 2;          /* that launches nothing, of a framework */
		if (i > 0)
			tell(&builder);
		builder.thread = 1;
		tell(&builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, builder.model->steps.method, STEP_BY_PROGRAM));
	cr_assert(eq(u64, report->steps.count, 20));
	cr_assert(eq(u64, report->steps.median_ns, 400 * US));
	cr_assert(eq(int, report->steps_confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
}

Test(ranges, steps_that_the_program_said_while_recording_was_off_have_numbers)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 20; i++) {
		loop(&builder, 1, 0, false);
		if (i == 9) {
			struct record off = {.begin = builder.now_ns - 10 * US,
				.end = builder.now_ns,
				.kind = RECORD_MARK};
			record_set_MARK_what(&off, MARK_OFF);
			record_set_MARK_steps(&off, 5);
			record_set_MARK_optimizer_steps(&off, 70);
			builder_add(&builder, &off);
			builder_pause(&builder, 10);
		}
		tell(&builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.count, 25));
	builder_free(&builder);
}

Test(ranges, names_of_steps)
{
	static const char *const steps[] = {"step", "Step", "step 7", "step_12", "step: 3",
		"step #", "step7", "iter", "iter 4", "Iteration 9", "iteration", "train_step",
		"training_step 3"};
	static const char *const others[] = {"", "steps per epoch", "stepper", "step forward",
		"iterate", "forward", "optimizer step", "aten::mm"};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		cr_assert(eq(uint, opname_class(steps[i]), OPCLASS_STEP_RANGE), "%s", steps[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert(
			eq(uint, opname_class(others[i]) & OPCLASS_STEP_RANGE, 0), "%s", others[i]);
}

static const char *const patterns[] = {
#define OPNAME(pattern, class) pattern,
#include "analyzer/names/opname.def"
#undef OPNAME
};

static const unsigned classes[] = {
#define OPNAME(pattern, class) OPCLASS_##class,
#include "analyzer/names/opname.def"
#undef OPNAME
};

/* The table read without any of the ways by which most of it is passed over. */
static unsigned class_of(const char *text)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (fnmatch(patterns[i], text, 0) == 0)
			return classes[i];
	return 0;
}

/* Each pattern as a text, with its wildcards and without them, cut off and with more behind. */
Test(ranges, every_row_of_the_table_is_found)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		size_t length = strlen(patterns[i]);
		for (size_t cut = 1; cut <= length; cut++) {
			char text[128], plain[128];
			size_t kept = 0;
			(void)snprintf(text, sizeof(text), "%.*s", (int)cut, patterns[i]);
			for (const char *at = text; *at != '\0'; at++)
				if (strchr("*[]", *at) == NULL)
					plain[kept++] = *at;
			plain[kept] = '\0';
			cr_assert(eq(uint, opname_class(text), class_of(text)), "%s", text);
			cr_assert(eq(uint, opname_class(plain), class_of(plain)), "%s", plain);
			plain[kept] = 'x';
			plain[kept + 1] = '\0';
			cr_assert(eq(uint, opname_class(plain), class_of(plain)), "%s", plain);
		}
	}
}
