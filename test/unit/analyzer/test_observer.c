/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"

static struct device_notes notes;

struct seen {
	uint64_t calls, operations, pairs, wrong;
};

static int see_call(void *context, uint64_t step, uint32_t thread, const struct record *record)
{
	struct seen *seen = context;
	(void)step;
	seen->wrong += thread != 1;
	seen->calls += record->kind == RECORD_LAUNCH;
	return 0;
}

static int see_operation(void *context, uint64_t step, const struct record *record)
{
	struct seen *seen = context;
	(void)step;
	seen->operations += record->kind == RECORD_DEVICE_KERNEL;
	return 0;
}

static int see_pair(void *context, uint64_t step, uint32_t thread, const struct record *call_record,
	const struct record *operation)
{
	struct seen *seen = context;
	seen->pairs++;
	uint64_t began = (call_record->begin - BUILDER_START_NS) / (500 * US);
	seen->wrong += began != step || operation->begin != call_record->end + 7 * US ||
		       call_record->place != 1 || thread != 1;
	return 0;
}

static bool odd_step(const void *context, uint64_t step)
{
	(void)context;
	return step % 2 == 1;
}

Test(observer, sees_calls_operations_and_pairs_of_wanted_steps)
{
	struct seen seen = {0};
	const struct observer observer = {
		.context = &seen, .call = see_call, .operation = see_operation, .pair = see_pair};
	const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
	const struct model_options options = {.join_ns = 50 * US,
		.blocked_ns = 50 * US,
		.matched_pct = 95,
		.selected = odd_step,
		.observer = &observer};
	struct builder builder = device_begin(&notes);
	model_free(builder.model);
	builder.model = model_new(&lookup, &options);
	device_state(&builder, SOURCE_ACTIVE);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned i = 0; i < 3; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 7, 3);
		}
		builder_pause(&builder, 470);
		device_step(&builder, begin_ns);
		if (step % 10 == 9)
			device_flush(&notes, &builder);
	}
	(void)builder_finish(&builder);
	cr_assert(eq(u64, seen.calls, 3 * DEVICE_STEPS / 2));
	cr_assert(eq(u64, seen.operations, 3 * DEVICE_STEPS / 2));
	cr_assert(eq(u64, seen.pairs, 3 * DEVICE_STEPS / 2));
	cr_assert(eq(u64, seen.wrong, 0));
	builder_free(&builder);
}
