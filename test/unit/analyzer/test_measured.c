/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "test/unit/analyzer/device_builder.h"

static struct device_notes notes;

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
	device_step(builder, begin_ns);
}

static void check_known_steps(const struct report *report)
{
	cr_assert(report->busy_measured);
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), 200));
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COMM), 30));
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COPY), 78));
	/* around the kernel in the wait, then as much as that has cost in lead */
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_SYNC), 5 + 5 + 105));
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_LAUNCH), 10 + 12));
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_INPUT), 100));
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_HOST), 380 - 105 + 180));
	cr_assert(eq(u64, device_sum(report), report->steps.steady * 1000 * US));
	cr_assert(report->busy_low_pct > 30.79 && report->busy_high_pct < 30.81);
}

Test(measured, the_account_is_what_the_device_did)
{
	static const unsigned every[] = {1, 3, 40};
	for (unsigned i = 0; i < 3; i++) {
		struct builder builder = device_begin(&notes);
		for (unsigned step = 0; step < DEVICE_STEPS; step++) {
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
	struct builder builder = device_begin(&notes), ahead = device_begin(&notes);
	struct device_notes *all = malloc(sizeof(*all));
	cr_assert(all != NULL);
	notes.count = notes.correlation = 0;
	for (unsigned step = 0; step < DEVICE_STEPS; step++)
		known_step(&ahead);
	*all = notes;
	device_flush(all, &builder);
	for (unsigned step = 0; step < DEVICE_STEPS; step++)
		known_step(&builder);
	check_known_steps(builder_finish(&builder));
	builder_free(&builder);
	builder_free(&ahead);
	free(all);
}

Test(measured, a_wait_for_a_device_that_had_finished_drains_nothing)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
		builder_pause(&builder, 200);
		builder_sync(&builder, 90, 3); /* slow for another reason */
		builder_pause(&builder, 300);
		device_step(&builder, begin_ns);
	}
	device_flush(&notes, &builder);
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_SYNC), 90));
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_HOST), 400));
	cr_assert(eq(u64, report->swept[SWEEP_WAITED_NS], 0));
	builder_free(&builder);
}

/* 200 nodes of 2 us in a row from one launch; they come in three parts. */
Test(measured, graphs)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
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
			record_set_device_graph(&notes.records[notes.count - 1], 5);
			record_set_graph_node(&notes.records[notes.count - 1], node + 1);
			if (node % 70 == 69)
				device_flush(&notes, &builder);
		}
		builder_sync(&builder, 400, 3);
		builder_pause(&builder, 90);
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(report->busy_measured);
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), 400));
	/* until the next launch, and the launch: the wait cost more lead than that */
	cr_assert(eq(u64, device_us(report, CAUSE_IDLE_SYNC), 90 + 10));
	builder_free(&builder);
}

Test(measured, two_devices_at_once)
{
	struct builder builder = device_begin(&notes);
	for (unsigned step = 0; step < DEVICE_STEPS; step++) {
		uint64_t begin_ns = builder.now_ns;
		for (unsigned device = 0; device < 2; device++) {
			call(&builder, 10,
				(struct record){.kind = RECORD_LAUNCH,
					.call = 1,
					.name = NAME_KERNEL,
					.place = 1,
					.b = record_bits_device(device)});
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 100);
			record_set_device(&notes.records[notes.count - 1], device);
		}
		builder_pause(&builder, 480);
		device_step(&builder, begin_ns);
		device_flush(&notes, &builder);
	}
	const struct report *report = builder_finish(&builder);
	/* 10 to 110 and 20 to 120 */
	cr_assert(eq(u64, device_us(report, CAUSE_DEVICE_COMPUTE), 110));
	builder_free(&builder);
}
