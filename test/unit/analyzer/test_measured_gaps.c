/* SPDX-License-Identifier: MIT */
/* What the device did not report, or reported without a call, without times, too late. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>

#include "test/unit/analyzer/device_builder.h"

static struct device_notes notes;

/* Another tool has the device's records for some steps: what was learned stands in. */
Test(measured_gaps, yielded_in_the_middle)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
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
		device_step(&builder, begin_ns);
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
	cr_assert(device_reason(report, "was not recorded"));
	cr_assert(eq(u64, device_sum(report), report->steps.steady * 500 * US));
	builder_free(&builder);
}

Test(measured_gaps, lost_records_are_counted_and_guessed_between_their_neighbours)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
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
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	cr_assert(compute > 399 * US && compute <= 400 * US, "%lu", (unsigned long)compute);
	cr_assert(device_reason(report, "30 calls"));
	cr_assert(report->health.matched_pct < 95 && report->health.matched_pct > 85);
	builder_free(&builder);
}

/* The device begins late for a reason that no call tells; the record of the second is lost. */
Test(measured_gaps, what_is_guessed_keeps_the_order_of_its_stream)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
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
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), 300));
	/* nothing ran yet while the three were launched */
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_LAUNCH), 30));
	cr_assert(not(report->busy_measured));
	builder_free(&builder);
}

Test(measured_gaps, operations_without_a_call_count_as_work)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		notes.correlation += 1000;
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL_2, 200, 50);
		builder_pause(&builder, 490);
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	device_state(&builder, SOURCE_ENDED);
	const struct report *report = builder_finish(&builder);
	cr_assert(device_reason(report, "40 GPU operations"));
	/* which call they are of is not known before the end: those of closed steps are late */
	cr_assert(device_us(report, CAUSE_DEVICE_COMPUTE) >= 100);
	cr_assert(eq(u64, device_sum(report), report->steps.steady * 500 * US));
	builder_free(&builder);
}

Test(measured_gaps, lost_times)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		if (step >= 10)
			record_set_device_flags(&notes.records[notes.count - 1], DEVICE_NO_TIMES);
		builder_sync(&builder, 110, 3);
		builder_pause(&builder, 380);
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t compute = report->swept[CAUSE_DEVICE_COMPUTE] / report->steps.steady;
	cr_assert(compute >= 95 * US && compute <= 110 * US, "%lu", (unsigned long)compute);
	cr_assert(not(report->busy_measured));
	cr_assert(device_reason(report, "30 GPU operations have no times"));
	builder_free(&builder);
}

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* Nothing that the device should have reported comes, then all of it, then nothing again. */
Test(measured_gaps, memory_is_bounded_and_time_adds_up_without_records)
{
	struct builder builder = device_begin(&notes);
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
		device_step(&builder, begin_ns);
		if (step % 100 == 99)
			device_flush(&notes, &builder);
		if (step == 12000)
			after_first = in_use();
	}
	cr_assert(in_use() <= after_first + (1u << 20));
	cr_assert(in_use() < 40u << 20, "%zu", in_use());
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, device_sum(report), report->steps.steady * 120 * US));
	cr_assert(eq(u64, builder.model->calls_matched, 150000));
	cr_assert(eq(u64, builder.model->calls_expected, 300000));
	builder_free(&builder);
}

/* Anything at any time: the account stays within the wall time. */
Test(measured_gaps, odd_records)
{
	struct builder builder = device_begin(&notes);
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
	/* the device may be done later than the host */
	const struct model *model = builder.model;
	uint64_t last_ns = model->last_ns > model->device_ns ? model->last_ns : model->device_ns;
	cr_assert(device_sum(report) <= last_ns - model->first_ns);
	cr_assert(last_ns - model->last_ns < 0x1000);
	builder_free(&builder);
}
