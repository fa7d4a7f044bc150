/* SPDX-License-Identifier: MIT */
/*
 * Loops in which the device is at another step than the host. The kernels of a step take 1000 us on
 * the device one after the other, the calls that ask for them 100 us of the host.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "test/unit/analyzer/ahead_loop.h"

#define EVENT 77u

Test(pace, a_host_that_never_waits_has_the_steps_of_the_device)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++)
		ahead_step(&builder, true);
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.count, DEVICE_STEPS));
	cr_expect(eq(u64, report->steps.steady, DEVICE_STEPS - 10));
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.median_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.min_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.max_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), DEVICE_US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	/* the first kernel begins at 10; the 40th step's calls end at 4000, its kernel at 40010 */
	cr_expect(eq(u64, report->steps.lag_ns, (40010 - 4000) * US));
	cr_expect(eq(i64, report->steps.lag_growth_ns, (int64_t)(DEVICE_US - HOST_US) * 1000));
	/* the trend comes near to the mean of 900 us */
	cr_expect(report->lag_growth_pct > 89.5 && report->lag_growth_pct < 90.01);
	cr_expect(eq(int, report->steps_confidence, CONFIDENCE_MEDIUM));
	cr_expect(eq(int, report->verdict.class, VERDICT_GPU));
	cr_expect(eq(int, report->verdict.confidence, CONFIDENCE_MEDIUM));
	builder_free(&builder);
}

/* The window ends while the device is in its 36th step: what it shows are 35 steps at its pace. */
Test(pace, a_window_shows_the_steps_that_end_in_it)
{
	struct builder builder = begin_loop();
	model_set_window(builder.model, builder.now_ns - 1000 * US, builder.now_ns + 35500 * US);
	for (unsigned step = 0; step < DEVICE_STEPS; step++)
		ahead_step(&builder, step <= 35);
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.until, 35));
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.min_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	builder_free(&builder);
}

/* Every tenth step reads a result: the device catches up, the lag is the same each time. */
Test(pace, a_host_that_waits_now_and_then_too)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		launch(&builder, DEVICE_US, true);
		builder_pause(&builder, HOST_US - 10);
		if (step % 10 == 9)
			drain(&builder);
		device_step(&builder, begin_ns);
	}
	const struct report *report = finish(&builder);
	/* ten kernels, 5 us of the wait's end, 10 us of the next launch: nothing runs in those */
	cr_expect(eq(u64, report->steps.total_ns, 30 * DEVICE_US * US + 3 * 15 * US));
	cr_expect(eq(u64, report->steps.median_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	cr_expect(eq(u64, report->swept[CAUSE_DEVICE_COMPUTE], 30 * DEVICE_US * US));
	cr_expect(eq(u64, report->steps.lag_ns, 0));
	cr_expect(eq(i64, report->steps.lag_growth_ns, 0));
	cr_expect(eq(int, report->verdict.confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
}

/* The lag is the same after every tenth step, grows in between; the last step is such a one. */
Test(pace, a_lag_that_comes_and_goes_does_not_grow)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS + 9; step++) {
		uint64_t begin_ns = builder.now_ns;
		launch(&builder, DEVICE_US, true);
		builder_pause(&builder, HOST_US - 10);
		if (step % 10 == 9)
			drain(&builder);
		device_step(&builder, begin_ns);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.lag_ns, (9 * 900 + 10) * US));
	cr_expect(eq(i64, report->steps.lag_growth_ns, (9 * 900 + 10) * (int64_t)US / 39));
	cr_expect(eq(u64, report->steps.lag_rise_ns, 4 * (9 * 900 + 10) * US));
	cr_expect(ieee_ulp_eq(dbl, report->lag_growth_pct, 0, 0));
	cr_expect(eq(int, report->verdict.confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
}

/* A launch waits as soon as the device is 12 steps behind. */
Test(pace, a_lag_that_has_stopped_does_not_grow)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < 300; step++) {
		uint64_t begin_ns = builder.now_ns;
		if (free_ns > begin_ns + 12 * DEVICE_US * US)
			builder_pause(&builder, (free_ns - begin_ns) / US - 12 * DEVICE_US);
		ahead_step(&builder, true);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(report->steps.lag_ns > 12 * DEVICE_US * US);
	cr_expect(report->lag_growth_pct < 0.1, "%g", report->lag_growth_pct);
	cr_expect(eq(int, report->steps_confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
}

/* The same after every step: what the host sees is what there is. */
Test(pace, a_host_that_waits_in_each_step_has_its_own_steps)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		launch(&builder, DEVICE_US, true);
		drain(&builder);
		builder_pause(&builder, step % 2 != 0 ? 85 : 385);
		device_step(&builder, begin_ns);
	}
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.min_ns, 1100 * US));
	cr_expect(eq(u64, report->steps.max_ns, 1400 * US));
	cr_expect(eq(u64, report->steps.mean_ns, 1250 * US));
	cr_expect(eq(u64, report->steps.lag_ns, 0));
	builder_free(&builder);
}

static void sync_event(struct builder *builder, uint64_t us)
{
	call(builder, us,
		(struct record){.kind = RECORD_SYNC,
			.call = 2,
			.place = 3,
			.a = EVENT,
			.b = record_bits_scope(SYNC_EVENT)});
}

/*
 * The host waits for an event that comes before the last kernel of the step before: the wait
 * ends behind that step's calls, before the device has done its work.
 */
Test(pace, a_wait_for_less_than_the_step_does_not_end_it)
{
	struct builder builder = begin_loop();
	uint64_t event_ns = 0;
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		if (event_ns > begin_ns)
			sync_event(&builder, (event_ns - begin_ns) / US);
		launch(&builder, 300, true);
		event_ns = free_ns;
		call(&builder, 10, (struct record){.kind = RECORD_EVENT, .call = 6, .a = EVENT});
		launch(&builder, 700, true);
		device_step(&builder, begin_ns);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.count, DEVICE_STEPS));
	cr_expect(eq(u64, report->steps.min_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.max_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), DEVICE_US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	cr_expect(eq(i64, report->steps.lag_growth_ns, 0));
	builder_free(&builder);
}

/* At every tenth step a copy begins that goes on for 5 steps, beside the kernels. */
Test(pace, a_long_copy_beside_the_kernels_delays_no_step)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		launch(&builder, DEVICE_US, true);
		if (step % 10 == 3) {
			call(&builder, 10,
				(struct record){.kind = RECORD_COPY,
					.call = 3,
					.stream = 9,
					.a = 1 << 20,
					.b = record_bits_direction(COPY_DEVICE_TO_HOST) |
					     record_bits_src_memory(MEMORY_DEVICE) |
					     record_bits_dst_memory(MEMORY_PINNED),
					.d = RECORD_ASYNC});
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_COPY, 0,
				(int64_t)((free_ns - builder.now_ns) / US), 5 * DEVICE_US);
		}
		builder_pause(&builder, HOST_US - 10);
		device_step(&builder, begin_ns);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.min_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.max_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), DEVICE_US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	builder_free(&builder);
}

/* A kernel is known to go on: its step ends with the next one, the steps after it when they do. */
Test(pace, a_long_kernel_beside_the_others_delays_one_step)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		launch(&builder, DEVICE_US, true);
		if (step == 23) {
			call(&builder, 10,
				(struct record){.kind = RECORD_LAUNCH,
					.call = 1,
					.name = NAME_KERNEL_2,
					.stream = 9});
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL_2,
				(int64_t)((free_ns - builder.now_ns) / US), 5 * DEVICE_US);
		}
		builder_pause(&builder, HOST_US - 10);
		device_step(&builder, begin_ns);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.min_ns, 0));
	cr_expect(eq(u64, report->steps.median_ns, DEVICE_US * US));
	cr_expect(eq(u64, report->steps.max_ns, 2 * DEVICE_US * US));
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	builder_free(&builder);
}

/* The device had finished: a wait for an event is over when the host's next step has begun. */
Test(pace, a_wait_for_what_has_ended_moves_no_step)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		if (step > 0)
			sync_event(&builder, 5);
		launch(&builder, 300, true);
		call(&builder, 10, (struct record){.kind = RECORD_EVENT, .call = 6, .a = EVENT});
		launch(&builder, 700, true);
		builder_pause(&builder, 2965);
		device_step(&builder, begin_ns);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.min_ns, 3000 * US));
	cr_expect(eq(u64, report->steps.max_ns, 3000 * US));
	cr_expect(eq(u64, report->steps.lag_ns, 0));
	cr_expect(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), DEVICE_US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	builder_free(&builder);
}

struct window {
	uint64_t first, last;
};

static bool in_window(const void *context, uint64_t step)
{
	const struct window *window = context;
	return step >= window->first && step <= window->last;
}

/* Time of the steps of a window, and of its account. */
static uint64_t window_ns(const struct window *window, uint64_t *ret_lag_ns)
{
	struct builder builder = begin_loop();
	builder.model->options.selected = in_window;
	builder.model->options.context = window;
	for (unsigned step = 0; step < 60; step++)
		ahead_step(&builder, true);
	drain(&builder);
	const struct report *report = finish(&builder);
	uint64_t total_ns = report->steps.total_ns;
	cr_expect(eq(u64, report->steps.steady, window->last - window->first + 1));
	cr_expect(eq(u64, device_sum(report), total_ns));
	cr_expect(eq(i64, report->steps.lag_growth_ns, 900 * (int64_t)US));
	*ret_lag_ns = report->steps.lag_ns;
	builder_free(&builder);
	return total_ns;
}

Test(pace, windows_add_up)
{
	static const struct window windows[] = {{5, 19}, {20, 31}, {32, 44}, {45, 59}, {5, 59}};
	uint64_t sum_ns = 0, lag_ns;
	for (unsigned i = 0; i < 4; i++) {
		sum_ns += window_ns(&windows[i], &lag_ns);
		cr_expect(eq(u64, lag_ns, (10 + (windows[i].last + 1) * 900) * US));
	}
	cr_expect(eq(u64, sum_ns, window_ns(&windows[4], &lag_ns)));
	cr_expect(eq(u64, sum_ns, 55 * DEVICE_US * US));
}

/* The process was killed while the device was behind: what it had not done are no steps. */
Test(pace, steps_that_the_device_has_not_done_do_not_count)
{
	struct builder builder = begin_loop();
	for (unsigned step = 0; step < DEVICE_STEPS; step++)
		ahead_step(&builder, step < 38);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.until, 38));
	cr_expect(eq(u64, report->steps.steady, 28));
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	builder_free(&builder);
}

/* More steps behind than are kept apart. */
Test(pace, very_far_behind)
{
	struct builder builder = begin_loop();
	const unsigned count = STEPS_PENDING + 1000;
	for (unsigned step = 0; step < count; step++) {
		ahead_step(&builder, true);
		if (step % 500 == 499)
			device_flush(&notes, &builder);
	}
	drain(&builder);
	const struct report *report = finish(&builder);
	cr_expect(eq(u64, report->steps.count, count));
	cr_expect(eq(u64, report->steps.steady, count - 10));
	cr_expect(eq(u64, report->steps.mean_ns, DEVICE_US * US));
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	cr_expect(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), DEVICE_US));
	builder_free(&builder);
}

/* Nothing was measured: the last wait tells how long all of it took. */
Test(pace, without_records_of_the_device)
{
	struct builder builder = builder_new();
	free_ns = 0;
	for (unsigned step = 0; step < DEVICE_STEPS; step++)
		ahead_step(&builder, false);
	drain(&builder);
	const struct report *report = builder_finish(&builder);
	double off = (double)report->steps.mean_ns / (DEVICE_US * US) - 1;
	cr_expect(eq(u64, report->steps.count, DEVICE_STEPS));
	cr_expect(off > -0.01 && off < 0.01, "%g", off);
	cr_expect(eq(u64, device_sum(report), report->steps.total_ns));
	builder_free(&builder);
}
