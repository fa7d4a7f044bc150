/* SPDX-License-Identifier: MIT */
/* What the kernel counted of threads: which readings count, and the findings that rest on them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/load/load.h"
#include "test/unit/analyzer/model_report.h"

#define STEPS 40

static struct load load;

static void read_at(uint64_t step, uint64_t ns, uint32_t tid, uint32_t metric, uint64_t value)
{
	struct record record = {.kind = RECORD_THREAD_SAMPLE, .begin = ns, .end = ns};
	record_set_THREAD_SAMPLE_metric(&record, metric);
	record_set_THREAD_SAMPLE_thread(&record, tid);
	record_set_THREAD_SAMPLE_value(&record, value);
	cr_assert(eq(int, load_add(&load, step, &record), 0));
}

Test(load, is_the_difference_of_readings_within_the_steps)
{
	struct load_span span;
	for (uint64_t step = 0; step < 10; step++) {
		read_at(step, 100 * step, 7, THREAD_RUN_NS, 1000 + 10 * step * step);
		read_at(step, 100 * step, 7, THREAD_DELAY_NS, 5 * step);
		load_cut(&load, 7);
	}
	cr_assert(load_span(&load, 2, 8, &span));
	cr_expect(eq(u32, span.tid, 7));
	cr_expect(eq(u64, span.ns, 500));
	cr_expect(eq(u64, span.values[THREAD_RUN_NS], 10 * (49 - 4)));
	cr_expect(eq(u64, span.values[THREAD_DELAY_NS], 25));
	cr_expect(eq(u32, span.known, 1u << THREAD_RUN_NS | 1u << THREAD_DELAY_NS));
	cr_expect(not(load_span(&load, 9, 10, &span)), "one reading is no span");
	cr_expect(not(load_span(&load, 20, 30, &span)));
	load_release(&load);
}

Test(load, is_that_of_the_thread_that_ends_most_steps)
{
	struct load_span span;
	cr_expect(not(load_span(&load, 0, 10, &span)), "nothing is known");
	for (uint64_t step = 0; step < 10; step++)
		for (uint32_t tid = 1; tid <= 3; tid++)
			read_at(step, 100 * step + tid, tid, THREAD_RUN_NS, tid * step);
	cr_expect(not(load_span(&load, 0, 10, &span)), "nobody has ended a step");
	load_cut(&load, 3);
	load_cut(&load, 2);
	load_cut(&load, 2);
	load_cut(&load, 99);
	cr_assert(load_span(&load, 0, 10, &span));
	cr_expect(eq(u32, span.tid, 2));
	cr_expect(eq(u64, span.values[THREAD_RUN_NS], 18));
	load_release(&load);
}

Test(load, what_recording_took_is_that_of_all_threads_in_the_steps)
{
	cr_expect(lt(dbl, load_hooks_share(&load, 0, 10), 0), "nothing is known");
	for (uint64_t step = 0; step < 10; step++) {
		read_at(step, 100 * step, 1, THREAD_HOOKS_NS, 3 * step);
		read_at(step, 100 * step, 2, THREAD_HOOKS_NS, step < 5 ? 0 : 2 * (step - 5));
		read_at(step, 100 * step, 3, THREAD_RUN_NS, 50 * step);
	}
	cr_expect(epsilon_eq(dbl, load_hooks_share(&load, 5, 10), 0.05, 1e-9));
	cr_expect(epsilon_eq(dbl, load_hooks_share(&load, 0, 6), 0.03, 1e-9));
	cr_expect(lt(dbl, load_hooks_share(&load, 9, 10), 0), "one reading is no share");
	load_release(&load);
}

Test(load, steps_that_are_counted_afresh_forget_the_old_ones)
{
	struct load_span span;
	read_at(3, 100, 7, THREAD_RUN_NS, 10);
	read_at(4, 200, 7, THREAD_RUN_NS, 20);
	load_cut(&load, 7);
	read_at(0, 300, 7, THREAD_RUN_NS, 30);
	load_cut(&load, 7);
	cr_expect(not(load_span(&load, 0, 10, &span)));
	read_at(1, 400, 7, THREAD_RUN_NS, 70);
	cr_assert(load_span(&load, 0, 10, &span));
	cr_expect(eq(u64, span.values[THREAD_RUN_NS], 40));
	load_release(&load);
}

/* Far more readings and threads than are kept; counters that run backwards. */
Test(load, is_bounded)
{
	struct load_span span;
	for (uint64_t i = 0; i < 20 * LOAD_POINTS; i++)
		read_at(i, 10 * i, 7, THREAD_RUN_NS, 3 * i);
	for (uint32_t tid = 100; tid < 100 + 2 * LOAD_THREADS; tid++)
		read_at(20 * LOAD_POINTS, 1, tid, THREAD_RUN_NS, 1);
	load_cut(&load, 7);
	cr_assert(load_span(&load, 0, UINT64_MAX, &span));
	cr_expect(eq(u64, 10 * span.values[THREAD_RUN_NS], 3 * span.ns));
	cr_expect(gt(u64, span.ns, 10 * 19 * LOAD_POINTS));
	cr_expect(eq(u32, load.count, LOAD_THREADS));
	read_at(20 * LOAD_POINTS, 1000000, 7, THREAD_RUN_NS, 0);
	read_at(20 * LOAD_POINTS, 1000001, 7, LOAD_METRICS, 0);
	cr_assert(load_span(&load, 0, UINT64_MAX, &span));
	cr_expect(le(u64, span.values[THREAD_RUN_NS], 3 * 20 * LOAD_POINTS));
	load_release(&load);
}

/* Of 1 ms of each step: on a processor, ready, the rest blocked; a read of a file for read_us. */
struct loop {
	const char *name;
	uint64_t run_us, delay_us, major_faults, read_us;
	bool contended, storage;
};

static void sample_of(
	struct builder *builder, uint32_t thread, enum thread_metric metric, uint64_t value)
{
	struct record record = {
		.kind = RECORD_THREAD_SAMPLE, .begin = builder->now_ns, .end = builder->now_ns};
	record_set_THREAD_SAMPLE_metric(&record, metric);
	record_set_THREAD_SAMPLE_thread(&record, thread);
	record_set_THREAD_SAMPLE_value(&record, value);
	builder->thread = 9;
	builder_add(builder, &record);
	builder->thread = 1;
}

static void sample(struct builder *builder, enum thread_metric metric, uint64_t value)
{
	sample_of(builder, 1, metric, value);
}

static void read_file(struct builder *builder, uint64_t us)
{
	struct record record = {.kind = RECORD_INPUT, .call = 4, .place = 2, .a = 3, .b = 1000};
	record_set_INPUT_what(&record, INPUT_READ);
	record_set_INPUT_medium(&record, MEDIUM_FILE);
	if (us > 0)
		call(builder, us, record);
}

static const struct report *run(struct builder *builder, const struct loop *loop)
{
	*builder = builder_new();
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		sample(builder, THREAD_RUN_NS, step * loop->run_us * US);
		sample(builder, THREAD_DELAY_NS, step * loop->delay_us * US);
		sample(builder, THREAD_MAJOR_FAULTS, step * loop->major_faults);
		sample(builder, THREAD_INVOLUNTARY_SWITCHES, step);
		builder_launch(builder, 10, NAME_KERNEL, 1);
		read_file(builder, loop->read_us);
		builder_pause(builder, 988 - loop->read_us);
		builder_sync(builder, 2, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(load, findings_fit_from_their_limits_on)
{
	static const struct loop loops[] = {
		{"on a processor", 1000, 0, 0, 0, false, false},
		{"asleep", 10, 0, 0, 0, false, false},
		{"just ready", 900, 49, 0, 0, false, false},
		{"a twentieth ready", 900, 50, 0, 0, true, false},
		{"more than there is", 2000, 3000, 0, 0, false, false},
		{"ready, nothing else", 0, 3000, 0, 0, true, false},
		{"faults, but hardly blocked", 980, 0, 1, 0, false, false},
		{"faults", 500, 0, 1, 0, false, true},
		{"short reads", 900, 0, 0, 49, false, false},
		{"reads", 900, 0, 0, 50, false, true},
	};
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct builder builder;
		const struct loop *loop = &loops[i];
		const struct report *report = run(&builder, loop);
		const struct finding *contended = builder_finding(report, "host-contended", 0);
		const struct finding *storage =
			builder_finding(report, "input-storage", loop->read_us >= 50 ? 20 : 0);
		cr_expect(eq(int, contended != NULL, loop->contended), "%s", loop->name);
		cr_expect(eq(int, storage != NULL, loop->storage), "%s", loop->name);
		double sum = report->run_pct + report->delay_pct + report->blocked_pct;
		cr_expect(sum > 99.9 && sum < 100.1, "%s: %f", loop->name, sum);
		cr_expect(report->blocked_pct >= 0, "%s", loop->name);
		builder_free(&builder);
	}
}

/* Of 1 ms of each step: at a lock, in a wait for the GPU; a page fault in each. */
struct held {
	const char *name;
	uint64_t run_us, lock_us, wait_us, switches;
	bool storage;
};

static void lock(struct builder *builder, uint64_t us)
{
	struct record record = {.kind = RECORD_INPUT, .call = 4, .place = 2};
	record_set_INPUT_what(&record, INPUT_LOCK);
	record_set_INPUT_medium(&record, MEDIUM_UNKNOWN);
	if (us > 0)
		call(builder, us, record);
}

Test(load, faults_do_not_block_where_a_call_does)
{
	static const struct held loops[] = {
		{"the processor", 950, 0, 0, 1, true},
		{"hardly anything", 960, 0, 0, 1, false},
		{"a lock for all of it", 500, 500, 0, 2, false},
		{"a lock for nearly all", 500, 460, 0, 2, false},
		{"a lock for some of it", 500, 440, 0, 2, true},
		{"the GPU", 500, 0, 500, 2, false},
		{"the GPU, for which it spins", 500, 0, 500, 1, true},
		{"both", 300, 300, 400, 3, false},
	};
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		const struct held *loop = &loops[i];
		struct builder builder = builder_new();
		for (uint64_t step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			sample(&builder, THREAD_RUN_NS, step * loop->run_us * US);
			sample(&builder, THREAD_DELAY_NS, 0);
			sample(&builder, THREAD_MAJOR_FAULTS, step);
			sample(&builder, THREAD_VOLUNTARY_SWITCHES, step * loop->switches);
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			lock(&builder, loop->lock_us);
			builder_pause(&builder, 988 - loop->lock_us - loop->wait_us);
			builder_sync(&builder, 2 + loop->wait_us, 3);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		const struct finding *storage = builder_finding(report, "input-storage", 0);
		cr_expect(eq(int, storage != NULL, loop->storage), "%s", loop->name);
		builder_free(&builder);
	}
}

/* 1000 bytes in 100 of 1000 us; beside the other 900 there may be 47.4 us of reads. */
Test(load, how_fast_files_would_have_to_come)
{
	const struct loop loop = {"reads", 800, 0, 0, 100, false, true};
	struct builder builder;
	const struct report *report = run(&builder, &loop);
	const struct finding *storage = builder_finding(report, "input-storage", 20);
	cr_assert(storage != NULL);
	cr_expect(strstr(storage->evidence,
			  "they bring 10 MB a second: 21.1 MB a second would keep that limit, and "
			  "a step would take 947.4 us") != NULL,
		"%s", storage->evidence);
	builder_free(&builder);
}

/* Waits of 500 of 1000 us; for so much of a step the thread was ready and had no processor. */
Test(load, a_wait_without_a_processor_is_not_certain_to_be_one)
{
	static const uint64_t delays_us[] = {0, 100, 700};
	static const double lows_pct[] = {50, 40, 0};
	for (size_t i = 0; i < sizeof(delays_us) / sizeof(delays_us[0]); i++) {
		struct builder builder = builder_new();
		for (uint64_t step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			sample(&builder, THREAD_RUN_NS, step * 100 * US);
			sample(&builder, THREAD_DELAY_NS, step * delays_us[i] * US);
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_pause(&builder, 490);
			builder_sync(&builder, 500, 3);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(report->busy_low_pct > lows_pct[i] - 0.1 &&
				  report->busy_low_pct < lows_pct[i] + 0.1,
			"%f", report->busy_low_pct);
		cr_expect(report->busy_high_pct >= report->busy_pct);
		builder_free(&builder);
	}
}

/* The same of another thread's waits, and of its processor. */
Test(load, nor_is_a_wait_of_another_thread)
{
	static const uint64_t delays_us[] = {0, 100, 700};
	static const double lows_pct[] = {50, 40, 0};
	for (size_t i = 0; i < sizeof(delays_us) / sizeof(delays_us[0]); i++) {
		struct builder builder = builder_new();
		for (uint64_t step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			sample(&builder, THREAD_RUN_NS, step * 100 * US);
			sample(&builder, THREAD_DELAY_NS, 0);
			sample_of(&builder, 2, THREAD_DELAY_NS, step * delays_us[i] * US);
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_pause(&builder, 480);
			builder.thread = 2;
			builder_launch(&builder, 10, NAME_KERNEL, 5);
			builder_sync(&builder, 500, 5);
			builder.thread = 1;
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(report->busy_low_pct > lows_pct[i] - 0.1 &&
				  report->busy_low_pct < lows_pct[i] + 0.1,
			"%f", report->busy_low_pct);
		builder_free(&builder);
	}
}

Test(load, nothing_is_said_of_what_was_not_asked)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		sample(&builder, THREAD_MAJOR_FAULTS, 100 * step);
		builder_pause(&builder, 990);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(dbl, report->run_pct, REPORT_UNKNOWN_PCT));
	cr_expect(eq(dbl, report->delay_pct, REPORT_UNKNOWN_PCT));
	cr_expect(eq(dbl, report->blocked_pct, REPORT_UNKNOWN_PCT));
	cr_expect(builder_finding(report, "host-contended", 0) == NULL);
	cr_expect(builder_finding(report, "input-storage", 0) == NULL);
	builder_free(&builder);
}
