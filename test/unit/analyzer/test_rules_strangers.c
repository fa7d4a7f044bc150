/* SPDX-License-Identifier: MIT */
/*
 * Loops that a library runs below one line of the program: what their unusual steps and their code
 * are said to be, and steps that only its batches tell of.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define LINE (10 * BUILDER_THROUGH)

static struct builder builder;

static void load(uint64_t us, uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = NAME_LOADER,
				      .place = place,
				      .c = OP_USER_SCOPE});
}

static void forward(uint32_t place)
{
	for (unsigned i = 0; i < 4; i++)
		builder_launch(&builder, 10, i % 2 == 0 ? NAME_KERNEL : NAME_KERNEL_2, place);
}

static void backward(uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_launch(&builder, 10, NAME_KERNEL, place);
	builder_op(&builder, begin, NAME_BACKWARD, OP_FUNCTION);
}

/* Steps of which one takes longer: where it draws its batch, or behind the logging of a package. */
static const struct finding *unusual(bool late, uint32_t loader)
{
	builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder.now_ns;
		load(100 + (late && step == 40 ? 20000 : 0), loader);
		forward(BUILDER_METRIC);
		backward(BUILDER_METRIC);
		builder_sync(&builder, 50, BUILDER_THROUGH);
		builder_pause(&builder, 100 + (!late && step == 40 ? 20000 : 0));
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finding(builder_finish(&builder), "step-outlier", 0);
}

static const struct finding *outlier(void)
{
	for (unsigned i = 0; i < builder.report->finding_count; i++)
		if (strcmp(builder.report->findings[i].rule->name, "step-outlier") == 0)
			return &builder.report->findings[i];
	return NULL;
}

/* That all of them have the line of the program says nothing of what is late. */
Test(rules_strangers, a_batch_is_late_where_it_is_drawn)
{
	(void)unusual(true, BUILDER_METRIC);
	const struct finding *finding = outlier();
	cr_assert(finding != NULL);
	cr_expect(strstr(finding->advice, "batch takes longer") != NULL, "%s", finding->advice);
	/* there are no workers to keep */
	cr_expect(strstr(finding->advice, "num_workers > 0") != NULL, "%s", finding->advice);
	builder_free(&builder);
	(void)unusual(false, BUILDER_METRIC);
	finding = outlier();
	cr_assert(finding != NULL);
	cr_expect(strstr(finding->advice, "batch") == NULL, "%s", finding->advice);
	cr_expect(eq(u64, finding->line, LINE));
	cr_expect(eq(u64, finding->library_line, BUILDER_THROUGH));
	cr_expect(strstr(finding->advice, "trainer.py") != NULL, "%s", finding->advice);
	builder_free(&builder);
}

/* Of some steps that take longer one has nearly all of it: which one is what has to be known. */
Test(rules_strangers, the_longest_step_is_told_where_it_is_most)
{
	for (unsigned alike = 0; alike < 2; alike++) {
		builder = builder_new();
		for (unsigned step = 0; step < 60; step++) {
			uint64_t begin = builder.now_ns;
			forward(1);
			backward(1);
			builder_sync(&builder, 50, 1);
			builder_pause(&builder, step == 45 && alike == 0 ? 80000 : 100);
			builder_pause(&builder, step % 12 == 11 ? 900 : 0);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		(void)builder_finish(&builder);
		const struct finding *finding = outlier();
		cr_assert(finding != NULL);
		cr_expect(eq(int, strstr(finding->evidence, "the longest is step 45, 80.") != NULL,
				  alike == 0),
			"%s", finding->evidence);
		builder_free(&builder);
	}
}

/* Long steps at the end are unusual, but not when another optimiser has made all of them. */
Test(rules_strangers, a_training_that_follows_is_not_unusual)
{
	for (unsigned another = 0; another < 2; another++) {
		builder = builder_new();
		for (unsigned step = 0; step < 69; step++) {
			uint64_t begin = builder.now_ns;
			forward(1);
			backward(1);
			builder_sync(&builder, 50, 1);
			builder_pause(&builder, step < 60 ? 100 : 20000);
			builder_add(&builder, &(struct record){.begin = begin,
						      .end = builder.now_ns,
						      .kind = RECORD_OP,
						      .name = NAME_OPTIMIZER,
						      .place = step < 60 ? 1 : 1 + another,
						      .c = OP_USER_SCOPE});
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(u64, report->steps.count, 69));
		cr_expect(eq(int, outlier() != NULL, another == 0));
		builder_free(&builder);
	}
}

/* A policy that plays is no evaluation to who wrote it. */
Test(rules_strangers, what_trains_nothing_is_told_as_that)
{
	builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder.now_ns;
		forward(1);
		backward(1);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		if (step % 20 == 19)
			forward(7);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(
		strstr(report->between, "forward passes that train nothing (evaluation, sampling, "
					"playing) at ") != NULL,
		"%s", report->between);
	builder_free(&builder);
}

/* A copy of a model within the GPU (deepcopy) is written nowhere. */
Test(rules_strangers, what_stays_on_the_gpu_is_not_saved)
{
	for (unsigned saves = 0; saves < 2; saves++) {
		builder = builder_new();
		for (unsigned step = 0; step < 60; step++) {
			uint64_t begin = builder.now_ns;
			forward(1);
			backward(1);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
			for (unsigned i = 0; i < 3 && step % 20 == 19; i++)
				builder_copy(&builder, 200,
					saves == 1 ? COPY_DEVICE_TO_HOST : COPY_DEVICE_TO_DEVICE,
					4096, saves == 1 ? MEMORY_PAGEABLE : MEMORY_DEVICE,
					BUILDER_STORAGE);
		}
		(void)builder_finish(&builder);
		cr_expect(eq(u32, builder.model->steps.phases.count, saves));
		builder_free(&builder);
	}
}

/* What is read without any training is mostly what comes next, not a figure for a log. */
Test(rules_strangers, a_value_that_is_gone_on_with)
{
	for (unsigned trains = 0; trains < 2; trains++) {
		builder = builder_new();
		for (unsigned step = 0; step < 60; step++) {
			uint64_t begin = builder.now_ns;
			forward(1);
			if (trains == 1)
				backward(1);
			uint64_t read = builder.now_ns;
			builder_copy(&builder, 5, COPY_DEVICE_TO_HOST, 8, MEMORY_PAGEABLE, 3);
			builder_sync(&builder, 200, 3);
			builder_op(&builder, read, NAME_ITEM, OP_FUNCTION);
			builder_pause(&builder, 300);
			if (trains == 1)
				builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct finding *finding =
			builder_finding(builder_finish(&builder), "sync-scalar-read", 30);
		cr_assert(finding != NULL);
		cr_expect(eq(int, strstr(finding->advice, "what comes next") != NULL, trains == 0),
			"%s", finding->advice);
		builder_free(&builder);
	}
}

/* Small copies each wait for all before them, as long as nobody says that they need not. */
Test(rules_strangers, small_copies_that_wait_need_not)
{
	for (unsigned waits = 0; waits < 2; waits++) {
		builder = builder_new();
		for (unsigned step = 0; step < 60; step++) {
			uint64_t begin = builder.now_ns;
			forward(1);
			backward(1);
			uint64_t copies = builder.now_ns;
			builder_copy(&builder, 5, COPY_HOST_TO_DEVICE, 64, MEMORY_PAGEABLE, 3);
			if (waits == 1)
				builder_sync(&builder, 400, 3);
			builder_op(&builder, copies, NAME_TO, OP_FUNCTION);
			builder_pause(&builder, 300);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct finding *finding =
			builder_finding(builder_finish(&builder), "copy-pageable-async", 30);
		cr_assert(finding != NULL);
		cr_expect(eq(int, strstr(finding->advice, "non_blocking=True") != NULL, waits == 1),
			"%s", finding->advice);
		builder_free(&builder);
	}
}

/* An optimiser that is nobody's tells of no step; an evaluation draws by the same line. */
Test(rules_strangers, batches_without_a_backward_pass_are_no_steps)
{
	for (unsigned trains = 0; trains < 2; trains++) {
		builder = builder_new();
		for (unsigned epoch = 0; epoch < 3; epoch++)
			for (unsigned batch = 0; batch < 30; batch++) {
				load(100, BUILDER_METRIC);
				forward(BUILDER_METRIC);
				if (batch < 20 && trains == 1)
					backward(BUILDER_METRIC);
				builder_pause(&builder, 100);
				if (trains == 1 &&
					(batch == 19 || batch == 29)) { /* a mean over all */
					load(10, BUILDER_METRIC);
					builder_launch(&builder, 10, NAME_KERNEL, 3);
				}
			}
		load(100, BUILDER_METRIC);
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(int, builder.model->steps.method, STEP_BY_LOADER));
		cr_expect(eq(u64, report->steps.count, trains == 1 ? 60 : 90));
		const struct phases *phases = &builder.model->steps.phases;
		cr_expect(eq(
			u64, phases->count > 0 ? phases->items[0].count : 0, trains == 1 ? 3 : 0));
		builder_free(&builder);
	}
}

/* Whatever line of a package it is done at, the program's line has one evaluation each time. */
Test(rules_strangers, a_line_has_one_phase_of_a_kind)
{
	builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder.now_ns;
		forward(1);
		backward(1);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		if (step % 20 == 19)
			forward(step == 39 ? BUILDER_THROUGH : BUILDER_METRIC);
	}
	(void)builder_finish(&builder);
	const struct phases *phases = &builder.model->steps.phases;
	cr_expect(eq(u32, phases->count, 1));
	cr_expect(eq(u64, phases->items[0].count, 3));
	builder_free(&builder);
}

/* Nothing is launched at all: that is no matter of launching. */
Test(rules_strangers, steps_without_launches_are_not_bound_by_them)
{
	builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder.now_ns;
		for (unsigned i = 0; i < 4; i++)
			builder_copy(&builder, 20, COPY_HOST_TO_DEVICE, 64, MEMORY_PINNED, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	for (unsigned i = 0; i < report->finding_count; i++)
		cr_expect(strcmp(report->findings[i].rule->name, "launch-bound") != 0, "%s",
			report->findings[i].evidence);
	builder_free(&builder);
}

/* A program that ends says nothing of how long its last file took. */
Test(rules_strangers, a_wait_at_the_end_is_no_part_of_a_phase)
{
	builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder.now_ns;
		forward(1);
		backward(1);
		builder_sync(&builder, 5, 1);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		if (step % 20 == 19)
			forward(7);
	}
	builder_pause(&builder, 1000000);
	builder_sync(&builder, 5, 0);
	(void)builder_finish(&builder);
	const struct phases *phases = &builder.model->steps.phases;
	cr_assert(eq(u32, phases->count, 1));
	cr_expect(eq(u64, phases->items[0].count, 3));
	cr_expect(lt(u64, phases->items[0].ns, 1000 * US));
	builder_free(&builder);
}

/* Between two calls below one line there is nothing of the program's to mend. */
Test(rules_strangers, code_below_a_line_is_the_packages)
{
	static const uint32_t waits[] = {BUILDER_THROUGH, 3};
	for (unsigned i = 0; i < 2; i++) {
		builder = builder_new();
		for (unsigned step = 0; step < 60; step++) {
			uint64_t begin = builder.now_ns;
			forward(waits[i]);
			builder_sync(&builder, 50, waits[i]);
			builder_pause(&builder, 800);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct finding *finding =
			builder_finding(builder_finish(&builder), "host-python", 10 * waits[i]);
		cr_assert(finding != NULL);
		cr_expect(eq(int, strstr(finding->advice, "code of transformers,") != NULL, i == 0),
			"%s", finding->advice);
		builder_free(&builder);
	}
}

/* What a loader does else than wait is not hidden behind a GPU that has nothing to do. */
Test(rules_strangers, a_wait_is_hidden_only_behind_work)
{
	builder = builder_new();
	for (unsigned step = 0; step < 60; step++) {
		uint64_t begin = builder.now_ns, drawn = builder.now_ns;
		builder_pause(&builder, 30);
		call(&builder, 120, (struct record){.kind = RECORD_COLLECTION, .place = 3, .a = 7});
		builder_op(&builder, drawn, NAME_LOADER, OP_USER_SCOPE);
		forward(1);
		builder_sync(&builder, 5, 1);
		builder_pause(&builder, 800);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(strstr(report->verdict.text, "also waits for data") != NULL, "%s",
		report->verdict.text);
	cr_expect(strstr(report->verdict.text, "hidden") == NULL, "%s", report->verdict.text);
	builder_free(&builder);
}
