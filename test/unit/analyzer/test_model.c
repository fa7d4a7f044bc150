/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

static void mark(struct builder *builder, uint64_t begin_ns)
{
	builder_op(builder, begin_ns, NAME_OPTIMIZER, OP_USER_SCOPE);
}

/*
 * Per step 100 us of launches, 400 us of waiting for them, 500 us without any call: the host alone
 * takes 600 us for what keeps the device busy for 500, so 100 us of the idling are its own.
 */
Test(account, idle_after_a_wait_is_charged_up_to_the_lead_that_it_cost)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 400, 3);
		builder_pause(&builder, 500);
		mark(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t per_step = report->steps.steady;
	uint64_t sync = report->swept[CAUSE_IDLE_SYNC] / per_step;
	uint64_t host = report->swept[CAUSE_IDLE_HOST] / per_step;
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / per_step;
	cr_assert(sync >= 380 * US && sync <= 400 * US, "%lu", (unsigned long)sync);
	cr_assert(eq(u64, sync + host, 500 * US));
	cr_assert(compute >= 480 * US && compute <= 500 * US, "%lu", (unsigned long)compute);
	builder_free(&builder);
}

/* 100 us of launches, 400 us of waiting, then launches of 10 us at 300 us from each other. */
Test(account, idle_after_the_next_launch_is_charged_up_to_the_lead_that_was_lost)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 400, 3);
		for (unsigned launch = 0; launch < 5; launch++) {
			builder_launch(&builder, 10, NAME_KERNEL_2, 1);
			builder_pause(&builder, 300);
		}
		builder_sync(&builder, 3, 4);
		mark(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t sync = report->swept[CAUSE_IDLE_SYNC] / report->steps.steady;
	uint64_t host = report->swept[CAUSE_IDLE_HOST] / report->steps.steady;
	cr_assert(sync >= 380 * US && sync <= 405 * US, "%lu", (unsigned long)sync);
	cr_assert(host >= 1000 * US && host <= 1120 * US, "%lu", (unsigned long)host);
	builder_free(&builder);
}

Test(account, a_short_wait_is_not_blamed_for_long_host_code)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 100, 3);
		builder_pause(&builder, 2000);
		mark(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(report->swept[CAUSE_IDLE_SYNC] / report->steps.steady <= 100 * US);
	cr_assert(report->swept[CAUSE_IDLE_HOST] / report->steps.steady >= 1900 * US);
	builder_free(&builder);
}

Test(account, allocation_and_input_are_told_apart)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 3, 3);
		builder_input(&builder, 300);
		builder_alloc(&builder, 200);
		mark(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->swept[CAUSE_IDLE_INPUT] / report->steps.steady, 300 * US));
	cr_assert(eq(u64, report->swept[CAUSE_IDLE_ALLOC] / report->steps.steady, 200 * US));
	builder_free(&builder);
}

Test(account, a_loader_range_replaces_what_happens_inside)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 3, 3);
		uint64_t begin = builder.now_ns;
		for (unsigned item = 0; item < 30; item++) {
			uint64_t inner = builder.now_ns;
			builder_pause(&builder, 10);
			builder_op(&builder, inner, NAME_TO, OP_FUNCTION);
		}
		builder_op(&builder, begin, NAME_LOADER, OP_USER_SCOPE);
		builder_launch(&builder, 10, NAME_KERNEL, 1);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->swept[CAUSE_IDLE_INPUT] / report->steps.steady, 300 * US));
	cr_assert(eq(u64, report->counted[MODEL_LOADS], report->steps.steady));
	builder_free(&builder);
}

Test(account, device_records_replace_what_is_inferred)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		struct record device = {.kind = RECORD_DEVICE_KERNEL,
			.name = NAME_KERNEL,
			.begin = builder.now_ns,
			.end = builder.now_ns + 300 * US};
		builder_pause(&builder, 300);
		builder.thread = 2;
		builder_add(&builder, &device);
		/* a copy that runs while the kernel does counts as computing */
		device.kind = RECORD_DEVICE_COPY;
		device.begin += 100 * US;
		builder_add(&builder, &device);
		builder.thread = 1;
		builder_pause(&builder, 690);
		mark(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(report->busy_measured);
	cr_assert(eq(u64, report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady, 300 * US));
	cr_assert(eq(u64, report->swept[CAUSE_DEVICE_COPY], 0));
	cr_assert(report->busy_pct > 29.9 && report->busy_pct < 30.1);
	builder_free(&builder);
}

Test(model, calls_are_named_by_the_operators_around_them)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t step = builder.now_ns;
		uint64_t outer = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		uint64_t inner = builder.now_ns;
		builder_sync(&builder, 100, 3);
		builder_op(&builder, inner, NAME_ITEM, OP_FUNCTION);
		builder_pause(&builder, 1);
		builder_op(&builder, outer, NAME_TO, OP_FUNCTION);
		/* an operator that follows has nothing to do with it */
		uint64_t next = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_op(&builder, next, NAME_NONZERO, OP_FUNCTION);
		mark(&builder, step);
	}
	(void)builder_finish(&builder);
	const struct spot *spot = &builder.model->spots->items[2];
	cr_assert(eq(u32, builder.model->spots->count, 3)); /* 1 is the line that launches */
	cr_assert(eq(int, (int)spot->kind, SPOT_WAIT));
	cr_assert(eq(u32, spot->op, NAME_ITEM));
	cr_assert(eq(u32, spot->outer_op, NAME_TO));
	cr_assert(eq(u32, spot->shaped, 0));
	builder_free(&builder);
}

Test(model, threads_that_launch_nothing_do_not_shape_the_account)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 3, 3);
		builder.thread = 7;
		builder_input(&builder, 500);
		builder_sync(&builder, 100, 9);
		builder.thread = 1;
		mark(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->swept[CAUSE_IDLE_INPUT], 0));
	cr_assert(builder_finding(report, "sync-explicit", 90) == NULL);
	cr_assert(builder_finding(report, "sync-explicit", 30) != NULL);
	builder_free(&builder);
}

/* Times as no program makes them; the account stays within the wall time. */
Test(model, odd_times)
{
	struct builder builder = builder_new();
	uint64_t random = 1;
	for (unsigned i = 0; i < 20000; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		uint64_t begin = BUILDER_START_NS + (random >> 44);
		struct record record = {.begin = begin,
			.end = begin + (random >> 20 & 0xfff),
			.kind = (uint16_t)(1 + (random >> 33) % 18),
			.name = (uint32_t)(random >> 40) % (NAME_COUNT + 2),
			.place = (uint32_t)(random >> 36) % 9,
			.a = random,
			.b = random >> 7,
			.c = (uint32_t)(random >> 50),
			.d = (uint32_t)(random >> 13) & 0xf002u};
		builder.thread = (uint32_t)(random >> 60) % 3;
		builder_add(&builder, &record);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t sum = 0;
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		sum += report->swept[cause];
	cr_assert(sum <= builder.model->last_ns - builder.model->first_ns);
	builder_free(&builder);
}

Test(model, all_at_the_same_time)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 100000; i++) {
		builder_launch(&builder, 0, NAME_KERNEL, 1);
		builder_sync(&builder, 0, 3);
		mark(&builder, builder.now_ns);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(int, report->verdict.class, VERDICT_INSUFFICIENT));
	builder_free(&builder);
}

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

Test(model, memory_is_bounded)
{
	struct builder builder = builder_new();
	size_t after_first = 0;
	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 4, i % 2 == 0 ? NAME_KERNEL : NAME_KERNEL_2, i % 5000);
		builder_op(&builder, begin, NAME_TO, OP_FUNCTION);
		if (i % 100 == 99)
			builder_alloc(&builder, 60);
		if (i == 100000)
			after_first = in_use();
	}
	size_t after_all = in_use();
	cr_assert(after_all <= after_first + (1u << 20), "%zu after %zu", after_all, after_first);
	cr_assert(after_all < 24u << 20, "%zu", after_all);
	(void)builder_finish(&builder);
	builder_free(&builder);
}
