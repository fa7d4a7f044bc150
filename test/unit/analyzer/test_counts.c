/* SPDX-License-Identifier: MIT */
/* What is counted beside the model is of the steps that the model has it in. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/counts/counts.h"
#include "analyzer/steps/figures.h"
#include "test/unit/analyzer/model_builder.h"

#define STEPS 63u
#define EVERY 7u

static int see_call(void *context, uint64_t step, uint32_t thread, const struct record *record)
{
	(void)thread;
	return counts_call(context, step, record);
}

static void see_cut(void *context, uint64_t step, enum step_cut cut)
{
	counts_cut(context, step, cut);
}

static void see_finish(void *context, bool tail)
{
	counts_finish(context, tail);
}

static void see_restart(void *context)
{
	counts_restart(context);
}

static void train(struct builder *builder)
{
	uint64_t begin_ns = builder->now_ns;
	builder_copy(builder, 5, COPY_HOST_TO_DEVICE, 4096, MEMORY_PINNED, 1);
	for (unsigned i = 0; i < 3; i++)
		builder_launch(builder, 10, NAME_KERNEL, 2);
	builder_pause(builder, 50);
	builder_op(builder, begin_ns, NAME_OPTIMIZER, OP_USER_SCOPE);
	builder_copy(builder, 5, COPY_DEVICE_TO_HOST, 4, MEMORY_PINNED, 3);
}

/* Batches from elsewhere, through the same kernels from another line. */
static void evaluate(struct builder *builder)
{
	for (unsigned batch = 0; batch < 5; batch++) {
		builder_copy(builder, 5, COPY_HOST_TO_DEVICE, 4096, MEMORY_PAGEABLE, 4);
		for (unsigned i = 0; i < 3; i++)
			builder_launch(builder, 10, NAME_KERNEL, 5);
		builder_copy(builder, 5, COPY_DEVICE_TO_HOST, 4, MEMORY_PINNED, 4);
	}
}

static uint64_t copies_from(
	const struct counts *counts, enum memory_kind memory, const struct steps_window *window)
{
	const struct counts_set *set = &counts->sets[COUNTS_COPIES];
	uint64_t sums[COUNTS_VALUE_COUNT], count = 0;
	for (size_t i = 0; i < set->rows.count; i++) {
		struct record copy = counts_copy(set->rows.items[i].key);
		counts_sum(&set->rows.items[i], window->first, window->until, sums);
		count += record_src_memory(&copy) == memory ? sums[COUNTS_COUNT] : 0;
	}
	return count;
}

Test(counts, an_evaluation_between_steps_is_in_none_of_them)
{
	struct counts *counts = counts_new();
	const struct observer observer = {.context = counts,
		.call = see_call,
		.cut = see_cut,
		.finish = see_finish,
		.restart = see_restart};
	const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
	const struct model_options options = {.join_ns = 50 * US,
		.blocked_ns = 50 * US,
		.matched_pct = 95,
		.observer = &observer};
	struct builder builder = builder_new();
	struct steps_window window;
	model_free(builder.model);
	builder.model = model_new(&lookup, &options);
	for (unsigned step = 0; step < STEPS; step++) {
		train(&builder);
		if (step % EVERY == EVERY - 1)
			evaluate(&builder);
	}
	cr_assert(zero(int, model_finish(builder.model)));
	steps_counted(&builder.model->steps, &window);
	cr_assert(eq(u64, window.count, STEPS - 10));
	cr_assert(eq(u32, builder.model->steps.phases.count, 1));
	cr_assert(eq(u64, copies_from(counts, MEMORY_PINNED, &window), window.count));
	cr_assert(eq(u64, copies_from(counts, MEMORY_PAGEABLE, &window), 0));
	counts_free(counts);
	builder_free(&builder);
}
