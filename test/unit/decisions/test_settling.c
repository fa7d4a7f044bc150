/* SPDX-License-Identifier: MIT */
/*
 * What a wait settles: which operations have ended when it returns, for how much of it the
 * device was to blame where the device's own times are known, and when a stretch has all that
 * it waits for.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"

#define STEPS  12
#define STREAM 0x70u
#define EVENT  0x99u

static struct builder builder;
static struct device_notes notes;

static void end(void)
{
	builder_free(&builder);
}

/* So many calls, not recorded by the device, that what comes now is no longer put aside. */
static void begin_settled(void)
{
	builder = device_begin(&notes);
	device_state(&builder, SOURCE_ENDED);
	for (unsigned i = 0; i < MODEL_PREFIX; i++)
		builder_launch(&builder, 1, NAME_KERNEL, 1);
	builder_sync(&builder, 10, 3);
	cr_assert(eq(u32, device_open(builder.model->device), 0));
}

static void launch(uint64_t us)
{
	call(&builder, us,
		(struct record){
			.kind = RECORD_LAUNCH, .call = 1, .name = NAME_KERNEL, .stream = STREAM});
}

static uint32_t open_after_sync(enum sync_scope scope)
{
	call(&builder, 500,
		(struct record){.kind = RECORD_SYNC,
			.call = 2,
			.a = EVENT,
			.b = (uint64_t)scope,
			.stream = STREAM});
	return device_open(builder.model->device);
}

static void mark_event(void)
{
	call(&builder, 1,
		(struct record){.kind = RECORD_EVENT, .call = 6, .a = EVENT, .stream = STREAM});
}

Test(settling, an_event_has_what_came_before_it, .fini = end)
{
	begin_settled();
	launch(10);
	launch(10);
	mark_event();
	launch(10);
	cr_expect(eq(u32, open_after_sync(SYNC_EVENT), 1));
	cr_expect(eq(u32, open_after_sync(SYNC_STREAM), 0));
	/* what is recorded anew stands for the newer place */
	launch(10);
	mark_event();
	launch(10);
	mark_event();
	cr_expect(eq(u32, open_after_sync(SYNC_EVENT), 0));
}

Test(settling, an_event_that_nobody_recorded_stands_for_all, .fini = end)
{
	begin_settled();
	launch(10);
	launch(10);
	cr_expect(eq(u32, open_after_sync(SYNC_EVENT), 0));
}

/*
 * Thread 1 waits from 0 to 100 us; thread 2 launches from 40 to 50 us, and its record comes
 * first.
 */
Test(settling, what_is_launched_during_a_wait_goes_on, .fini = end)
{
	begin_settled();
	launch(10);
	uint64_t begin = builder.now_ns;
	builder.thread = 2;
	builder_add(&builder, &(struct record){.kind = RECORD_LAUNCH,
				      .call = 1,
				      .name = NAME_KERNEL,
				      .stream = STREAM,
				      .begin = begin + 40 * US,
				      .end = begin + 50 * US});
	builder.thread = 1;
	builder_sync(&builder, 100, 3);
	cr_expect(eq(u32, device_open(builder.model->device), 1));
}

/* Per step a launch, then a wait of 100 us: the kernel ends so long after the wait began. */
static uint64_t waited_per_step(uint64_t ns)
{
	builder = device_begin(&notes);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, -5, 5);
		notes.records[notes.count - 1].end = builder.now_ns + ns;
		builder_sync(&builder, 100, 3);
		device_flush(&notes, &builder);
		builder_pause(&builder, 200);
		device_step(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t waited = report->swept[SWEEP_WAITED_NS] / report->steps.steady;
	cr_expect(report->busy_measured);
	builder_free(&builder);
	return waited;
}

Test(settling, a_measured_wait_lasts_until_the_device_has_ended)
{
	static const struct {
		uint64_t ns, waited;
	} cases[] = {
		{0, 0}, {999, 0}, {1000, 1000}, {50000, 50000}, {100000, 100000}, {150000, 100000}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(u64, waited_per_step(cases[i].ns), cases[i].waited), "%lu ns",
			(unsigned long)cases[i].ns);
}

/*
 * A read of 100 us that the device does from 5 to 95 us; a kernel before it runs up to some
 * time.
 */
static uint64_t waited_in_read(uint64_t kernel_us)
{
	builder = device_begin(&notes);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		device_call(&notes, &builder, 10);
		device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, -5, 5 + kernel_us);
		builder_copy(&builder, 100, COPY_DEVICE_TO_HOST, 4096, MEMORY_PAGEABLE, 4);
		device_call(&notes, &builder, 100);
		device_work(&notes, &builder, RECORD_DEVICE_COPY, 0, (int64_t)kernel_us + 5 - 100,
			90 - kernel_us);
		device_flush(&notes, &builder);
		builder_pause(&builder, 200);
		device_step(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	uint64_t waited = report->swept[SWEEP_WAITED_NS] / report->steps.steady / US;
	builder_free(&builder);
	return waited;
}

Test(settling, a_copy_does_not_wait_for_itself)
{
	cr_expect(eq(u64, waited_in_read(0), 0));
	cr_expect(eq(u64, waited_in_read(40), 40));
}

/* Jobs that are not done yet. */
static uint64_t jobs(void)
{
	return builder.model->jobs.until - builder.model->jobs.first;
}

/* The records of a graph come one by one, each at its time. */
static void graph_work(int64_t after_us)
{
	device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, after_us, 5);
	notes.records[0].d = 1; /* a node of its own */
	device_flush(&notes, &builder);
}

Test(settling, a_graph_waits_for_all_of_its_operations, .fini = end)
{
	begin_settled();
	cr_assert(eq(u64, jobs(), 0));
	device_state(&builder, SOURCE_ACTIVE);
	call(&builder, 10,
		(struct record){.kind = RECORD_GRAPH,
			.call = 9,
			.b = 5,
			.c = 2,
			.d = RECORD_LAUNCH_GRAPH,
			.stream = STREAM});
	device_call(&notes, &builder, 10);
	device_flush(&notes, &builder);
	builder_sync(&builder, 100, 3);
	cr_expect(eq(u64, jobs(), 1));
	graph_work(-90);
	cr_expect(eq(u64, jobs(), 1));
	graph_work(-80);
	cr_expect(eq(u64, jobs(), 0));
}

Test(settling, a_launch_waits_for_its_record_while_the_device_is_recorded, .fini = end)
{
	begin_settled();
	launch(10);
	builder_sync(&builder, 100, 3);
	cr_expect(eq(u64, jobs(), 0));
	device_state(&builder, SOURCE_ACTIVE);
	launch(10);
	device_call(&notes, &builder, 10);
	builder_sync(&builder, 100, 3);
	cr_expect(eq(u64, jobs(), 1));
	device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, -90, 50);
	device_flush(&notes, &builder);
	cr_expect(eq(u64, jobs(), 0));
	cr_expect(eq(u64, builder.model->sweep.at_ns, builder.now_ns));
}
