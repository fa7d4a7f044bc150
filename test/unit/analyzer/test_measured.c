/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>
#include <string.h>

#include "test/unit/analyzer/device_builder.h"

#define STEPS 40

static struct device_notes notes;

static struct builder begin(void)
{
	struct builder builder = builder_new();
	notes.count = notes.correlation = 0;
	device_state(&builder, SOURCE_ACTIVE);
	return builder;
}

static void mark(struct builder *builder, uint64_t begin_ns)
{
	builder_op(builder, begin_ns, NAME_OPTIMIZER, OP_USER_SCOPE);
}

static uint64_t sum_of(const struct report *report)
{
	uint64_t sum = 0;
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		sum += report->swept[cause];
	return sum;
}

static uint64_t us_per_step(const struct report *report, unsigned value)
{
	cr_assert(report->swept[value] % (report->steps.steady * US) == 0);
	return report->swept[value] / report->steps.steady / US;
}

/*
 * A step of 1000 us, times in it:
 *   host    launch 0-10, wait 10-120, launch 500-510, copy from pinned memory 510-520,
 *           waiting for data 520-820
 *   device  kernel 15-115, kernel 512-612, copy 560-700, communication 690-720
 */
static void known_step(struct builder *builder)
{
	uint64_t begin_ns = builder->now_ns;
	builder_launch(builder, 10, NAME_KERNEL, 1);
	device_call(&notes, builder, 10);
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 5, 100);
	builder_sync(builder, 110, 3);
	builder_pause(builder, 380);
	builder_launch(builder, 10, NAME_KERNEL_2, 1);
	device_call(&notes, builder, 10);
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL_2, 2, 100);
	builder_copy(builder, 10, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PINNED, 4);
	device_call(&notes, builder, 10);
	device_work(&notes, builder, RECORD_DEVICE_COPY, 0, 40, 140);
	builder_launch(builder, 0, NAME_NCCL, 5);
	notes.correlation++;
	device_note(&notes, &(struct record){.kind = RECORD_DEVICE_API,
				    .begin = builder->now_ns,
				    .end = builder->now_ns,
				    .a = builder->thread,
				    .place = notes.correlation});
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_NCCL, 170, 30);
	builder_input(builder, 300);
	builder_pause(builder, 180);
	mark(builder, begin_ns);
}

static void check_known_steps(const struct report *report)
{
	cr_assert(report->busy_measured);
	cr_assert(eq(u64, us_per_step(report, CAUSE_DEVICE_COMPUTE), 200));
	cr_assert(eq(u64, us_per_step(report, CAUSE_DEVICE_COMM), 30));
	cr_assert(eq(u64, us_per_step(report, CAUSE_DEVICE_COPY), 78));
	/* around the kernel in the wait, then up to the next launch: the wait has drained it */
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_SYNC), 5 + 5 + 380));
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_LAUNCH), 10 + 12));
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_INPUT), 100));
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_HOST), 180));
	cr_assert(eq(u64, sum_of(report), report->steps.steady * 1000 * US));
	cr_assert(report->busy_low_pct > 30.79 && report->busy_high_pct < 30.81);
}

Test(measured, the_account_is_what_the_device_did)
{
	static const unsigned every[] = {1, 3, 40};
	for (unsigned i = 0; i < 3; i++) {
		struct builder builder = begin();
		for (unsigned step = 0; step < STEPS; step++) {
			known_step(&builder);
			if (step % every[i] == every[i] - 1)
				device_flush(&notes, &builder);
		}
		device_flush(&notes, &builder);
		const struct report *report = builder_finish(&builder);
		check_known_steps(report);
		cr_assert(report->health.matched_pct > 99.99);
		cr_assert(eq(u32, report->health.reason_count, 0));
		builder_free(&builder);
	}
}

/* The merge keeps calls back: what the device reports may be there first. */
Test(measured, device_records_before_the_calls)
{
	struct builder builder = begin(), ahead = begin();
	struct device_notes *all = malloc(sizeof(*all));
	cr_assert(all != NULL);
	notes.count = notes.correlation = 0;
	for (unsigned step = 0; step < STEPS; step++)
		known_step(&ahead);
	*all = notes;
	device_flush(all, &builder);
	for (unsigned step = 0; step < STEPS; step++)
		known_step(&builder);
	check_known_steps(builder_finish(&builder));
	builder_free(&builder);
	builder_free(&ahead);
	free(all);
}

static bool has_reason(const struct report *report, const char *text)
{
	for (unsigned i = 0; i < report->health.reason_count; i++)
		if (strstr(report->health.reasons[i], text) != NULL)
			return true;
	return false;
}

Test(measured, a_wait_for_a_device_that_had_finished_drains_nothing)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		builder_pause(&builder, 200);
		builder_sync(&builder, 90, 3); /* slow for another reason */
		builder_pause(&builder, 300);
		mark(&builder, begin_ns);
	}
	device_flush(&notes, &builder);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_SYNC), 90));
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_HOST), 400));
	cr_assert(eq(u64, report->swept[SWEEP_WAITED_NS], 0));
	builder_free(&builder);
}

/* Another tool has the device's records for some steps: what was learned stands in. */
Test(measured, yielded_in_the_middle)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		bool away = step >= 20 && step < 30;
		if (step == 20)
			device_state(&builder, SOURCE_YIELDED);
		if (step == 30)
			device_state(&builder, SOURCE_ACTIVE);
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		unsigned kept = notes.count;
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		if (away)
			notes.count = kept;
		builder_sync(&builder, 110, 3);
		builder_pause(&builder, 380);
		mark(&builder, begin_ns);
		if (step % 7 == 6)
			device_flush(&notes, &builder);
	}
	device_flush(&notes, &builder);
	const struct report *report = builder_finish(&builder);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	/* where nothing was reported, the device is taken to be busy until the wait ends */
	cr_assert(compute >= 100 * US && compute <= 104 * US, "%lu", (unsigned long)compute);
	cr_assert(not(report->busy_measured));
	cr_assert(report->health.matched_pct > 99.99);
	cr_assert(has_reason(report, "was not recorded"));
	cr_assert(eq(u64, sum_of(report), report->steps.steady * 500 * US));
	builder_free(&builder);
}

Test(measured, lost_records_are_counted_and_guessed_between_their_neighbours)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned i = 0; i < 4; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			unsigned kept = notes.count;
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL,
				90 * (int64_t)i, 100);
			if (i == 2 && step >= 10)
				notes.count = kept;
		}
		builder_sync(&builder, 370, 3);
		builder_pause(&builder, 590);
		mark(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	cr_assert(compute > 399 * US && compute <= 400 * US, "%lu", (unsigned long)compute);
	cr_assert(has_reason(report, "30 calls"));
	cr_assert(report->health.matched_pct < 95 && report->health.matched_pct > 85);
	builder_free(&builder);
}

/* The device begins late for a reason that no call tells; the record of the second is lost. */
Test(measured, what_is_guessed_keeps_the_order_of_its_stream)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned i = 0; i < 3; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			unsigned kept = notes.count;
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL,
				100 + 90 * (int64_t)i, 100);
			if (i == 1 && step >= 5)
				notes.count = kept;
		}
		builder_pause(&builder, 760);
		builder_sync(&builder, 10, 3);
		builder_pause(&builder, 200);
		mark(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, us_per_step(report, CAUSE_DEVICE_COMPUTE), 300));
	/* nothing ran yet while the three were launched */
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_LAUNCH), 30));
	cr_assert(not(report->busy_measured));
	builder_free(&builder);
}

Test(measured, operations_without_a_call_count_as_work)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		notes.correlation += 1000;
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL_2, 200, 50);
		builder_pause(&builder, 490);
		mark(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	device_state(&builder, SOURCE_ENDED);
	const struct report *report = builder_finish(&builder);
	cr_assert(has_reason(report, "40 GPU operations"));
	/* which call they are of is not known before the end: those of closed steps are late */
	cr_assert(us_per_step(report, CAUSE_DEVICE_COMPUTE) >= 100);
	cr_assert(eq(u64, sum_of(report), report->steps.steady * 500 * US));
	builder_free(&builder);
}

Test(measured, lost_times)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		if (step >= 10)
			notes.records[notes.count - 1].result = DEVICE_NO_TIMES << 16;
		builder_sync(&builder, 110, 3);
		builder_pause(&builder, 380);
		mark(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	cr_assert(compute >= 95 * US && compute <= 110 * US, "%lu", (unsigned long)compute);
	cr_assert(not(report->busy_measured));
	cr_assert(has_reason(report, "30 GPU operations have no times"));
	builder_free(&builder);
}

/* 200 nodes of 2 us in a row from one launch; they come in three parts. */
Test(measured, graphs)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		call(&builder, 10,
			(struct record){.kind = RECORD_GRAPH,
				.call = 6,
				.place = 1,
				.b = 0x1234,
				.c = 200,
				.d = RECORD_LAUNCH_GRAPH});
		device_call(&notes, &builder, 10);
		for (unsigned node = 0; node < 200; node++) {
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL,
				2 * (int64_t)node, 2);
			notes.records[notes.count - 1].stream |= 5ull << 32;
			notes.records[notes.count - 1].d = node + 1;
			if (node % 70 == 69)
				device_flush(&notes, &builder);
		}
		builder_sync(&builder, 400, 3);
		builder_pause(&builder, 90);
		mark(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(report->busy_measured);
	cr_assert(eq(u64, us_per_step(report, CAUSE_DEVICE_COMPUTE), 400));
	/* until the next launch, and the launch: the wait cost more lead than that */
	cr_assert(eq(u64, us_per_step(report, CAUSE_IDLE_SYNC), 90 + 10));
	builder_free(&builder);
}

Test(measured, two_devices_at_once)
{
	struct builder builder = begin();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned device = 0; device < 2; device++) {
			call(&builder, 10,
				(struct record){.kind = RECORD_LAUNCH,
					.call = 1,
					.name = NAME_KERNEL,
					.place = 1,
					.b = (uint64_t)device << 48});
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
			notes.records[notes.count - 1].b = (uint64_t)device << 48;
		}
		builder_pause(&builder, 480);
		mark(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	/* 10 to 110 and 20 to 120 */
	cr_assert(eq(u64, us_per_step(report, CAUSE_DEVICE_COMPUTE), 110));
	builder_free(&builder);
}

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* Nothing that the device should have reported comes, then all of it, then nothing again. */
Test(measured, memory_is_bounded_and_time_adds_up_without_records)
{
	struct builder builder = begin();
	size_t after_first = 0;
	for (unsigned step = 0; step < 30000; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned i = 0; i < 10; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 5);
			if (step / 5000 % 2 == 0)
				notes.count = 0;
		}
		builder_sync(&builder, 20, 3);
		mark(&builder, begin_ns);
		if (step % 100 == 99)
			device_flush(&notes, &builder);
		if (step == 12000)
			after_first = in_use();
	}
	cr_assert(in_use() <= after_first + (1u << 20));
	cr_assert(in_use() < 40u << 20, "%zu", in_use());
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, sum_of(report), report->steps.steady * 120 * US));
	cr_assert(eq(u64, builder.model->calls_matched, 150000));
	cr_assert(eq(u64, builder.model->calls_expected, 300000));
	builder_free(&builder);
}

/* Anything at any time: the account stays within the wall time. */
Test(measured, odd_records)
{
	struct builder builder = begin();
	uint64_t random = 1;
	for (unsigned i = 0; i < 40000; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		uint64_t begin_ns = BUILDER_START_NS + (random >> 44);
		struct record record = {.begin = begin_ns,
			.end = begin_ns + (random >> 20 & 0xfff),
			.kind = (uint16_t)(1 + (random >> 33) % 25),
			.name = (uint32_t)(random >> 40) % (NAME_COUNT + 2),
			.place = (uint32_t)(random >> 36) % 9999,
			.a = (random >> 13) % 4,
			.b = random >> 7,
			.c = (uint32_t)(random >> 50) & 7u,
			.d = (uint32_t)(random >> 13) & 0xf002u};
		if (i % 100 == 0)
			record.end = UINT64_MAX - i;
		if (i % 100 == 1)
			record.end = record.begin - 1;
		if ((i % 100 < 2 && !model_is_device(&record)) || record.kind == RECORD_OP)
			continue;
		builder.thread = (uint32_t)(random >> 60) % 3;
		builder_add(&builder, &record);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(sum_of(report) <= builder.model->last_ns - builder.model->first_ns);
	builder_free(&builder);
}

struct seen {
	uint64_t calls, operations, pairs, wrong;
};

static int see_call(void *context, uint64_t step, const struct record *record)
{
	struct seen *seen = context;
	(void)step;
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

static int see_pair(void *context, uint64_t step, const struct record *call_record,
	const struct record *operation)
{
	struct seen *seen = context;
	seen->pairs++;
	uint64_t began = (call_record->begin - BUILDER_START_NS) / (500 * US);
	seen->wrong += began != step || operation->begin != call_record->end + 7 * US ||
		       call_record->place != 1;
	return 0;
}

static bool odd_step(const void *context, uint64_t step)
{
	(void)context;
	return step % 2 == 1;
}

Test(measured, an_observer_sees_calls_operations_and_pairs_of_wanted_steps)
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
	struct builder builder = begin();
	model_free(builder.model);
	builder.model = model_new(&lookup, &options);
	device_state(&builder, SOURCE_ACTIVE);
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned i = 0; i < 3; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 7, 3);
		}
		builder_pause(&builder, 470);
		mark(&builder, begin_ns);
		if (step % 10 == 9)
			device_flush(&notes, &builder);
	}
	(void)builder_finish(&builder);
	cr_assert(eq(u64, seen.calls, 3 * STEPS / 2));
	cr_assert(eq(u64, seen.operations, 3 * STEPS / 2));
	cr_assert(eq(u64, seen.pairs, 3 * STEPS / 2));
	cr_assert(eq(u64, seen.wrong, 0));
	builder_free(&builder);
}
