/* SPDX-License-Identifier: MIT */
/* Waits for several streams, without the device's times: what they say of each. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40
#define SIDE  5
#define EVENT 77

/* The one stream waits for the other. */
static void event(struct builder *builder, uint64_t stream, uint32_t flags)
{
	call(builder, 1,
		(struct record){.kind = RECORD_EVENT,
			.call = 6,
			.stream = stream,
			.a = EVENT,
			.d = RECORD_ASYNC | flags});
}

/* A copy of 8 KiB to the host, and the wait for it. */
static void fetch(struct builder *builder, uint64_t us)
{
	call(builder, 3,
		(struct record){.kind = RECORD_COPY,
			.call = 3,
			.stream = SIDE,
			.a = 8192,
			.b = record_bits_direction(COPY_DEVICE_TO_HOST) |
			     record_bits_src_memory(MEMORY_DEVICE) |
			     record_bits_dst_memory(MEMORY_PINNED),
			.d = RECORD_ASYNC});
	call(builder, us,
		(struct record){.kind = RECORD_SYNC,
			.call = 2,
			.stream = SIDE,
			.place = 3,
			.b = record_bits_scope(SYNC_STREAM)});
}

/* Per step: ten launches, a copy on the side that may have to follow them, a wait, a pause. */
static const struct report *train(struct builder *builder, bool follows)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(builder, 10, NAME_KERNEL, 1);
		if (follows) {
			event(builder, 0, 0);
			event(builder, SIDE, RECORD_STREAM_WAIT);
		}
		fetch(builder, 400);
		builder_pause(builder, 500);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(side_stream, what_a_copy_had_to_follow_was_waited_for_too)
{
	struct builder builder;
	const struct report *report = train(&builder, true);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	cr_expect(compute >= 440 * US && compute <= 510 * US, "%lu", (unsigned long)compute);
	/* behind the wait nothing is left to run */
	cr_expect(report->busy_high_pct < 55, "%g", report->busy_high_pct);
	builder_free(&builder);
}

Test(side_stream, what_it_did_not_follow_is_no_longer_for_that)
{
	struct builder builder;
	const struct report *report = train(&builder, false);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	cr_expect(compute <= 110 * US, "%lu", (unsigned long)compute);
	cr_expect(report->busy_high_pct > 95, "%g", report->busy_high_pct); /* it may run on */
	builder_free(&builder);
}

static void launch_on(struct builder *builder, uint64_t stream)
{
	for (unsigned i = 0; i < 5; i++)
		call(builder, 10,
			(struct record){.kind = RECORD_LAUNCH,
				.call = 1,
				.name = NAME_KERNEL,
				.place = 1,
				.stream = stream});
}

/* Two streams, as those of two devices, of which one works at a time: 40 steps of 1 ms of them. */
Test(side_stream, streams_that_take_turns_are_not_busy_at_once)
{
	struct builder builder = builder_new();
	uint64_t start = builder.now_ns;
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		launch_on(&builder, 0);
		event(&builder, 0, 0);
		event(&builder, SIDE, RECORD_STREAM_WAIT);
		launch_on(&builder, SIDE);
		event(&builder, SIDE, 0);
		event(&builder, 0, RECORD_STREAM_WAIT);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	call(&builder, STEPS * 1000 - (builder.now_ns - start) / US,
		(struct record){.kind = RECORD_SYNC,
			.call = 2,
			.place = 3,
			.b = record_bits_scope(SYNC_DEVICE)});
	const struct report *report = builder_finish(&builder);
	cr_expect(report->steps.mean_ns >= 950 * US && report->steps.mean_ns <= 1050 * US, "%lu",
		(unsigned long)report->steps.mean_ns);
	cr_expect(report->steps.min_ns >= 900 * US, "%lu", (unsigned long)report->steps.min_ns);
	builder_free(&builder);
}
