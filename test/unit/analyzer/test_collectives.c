/* SPDX-License-Identifier: MIT */
/* Calls of NCCL become rows: sizes, groups, kernels that come early or late, what did not run. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/collectives/collectives.h"
#include "analyzer/collectives/traffic.h"
#include "collector/format/fields.h"

enum {
	NAME_COMM = 1,
	NAME_OTHER,
	NAME_NCCL_KERNEL,
	NAME_PLAIN_KERNEL
};

static const char *text_of(const void *context, uint32_t id)
{
	static const char *const texts[] = {
		"", "world", "half", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "gemm"};
	(void)context;
	return id < sizeof(texts) / sizeof(texts[0]) ? texts[id] : "";
}

static const struct lookup lookup = {.text = text_of};

static struct record call_of(
	enum collective_what what, uint64_t begin, uint64_t end, uint64_t bytes, uint64_t ranks)
{
	struct record record = {
		.kind = RECORD_COLLECTIVE, .begin = begin, .end = end, .name = NAME_COMM};
	record_set_COLLECTIVE_what(&record, what);
	record_set_COLLECTIVE_bytes(&record, bytes);
	record_set_COLLECTIVE_ranks(&record, ranks);
	record_set_COLLECTIVE_number(&record, 1);
	return record;
}

static void kernel(struct collectives *collectives, uint32_t thread, uint64_t launched,
	uint64_t begin, uint64_t end, uint32_t name)
{
	const struct record launch = {.kind = RECORD_LAUNCH, .begin = launched};
	const struct record run = {
		.kind = RECORD_DEVICE_KERNEL, .begin = begin, .end = end, .name = name};
	cr_assert(eq(int, collectives_kernel(collectives, thread, &launch, &run), 0));
}

static void feed(struct collectives *collectives, uint32_t thread, struct record call)
{
	cr_assert(eq(int, collectives_call(collectives, 0, thread, &call), 0));
}

static struct record grouped(struct record call)
{
	record_set_COLLECTIVE_flags(&call, COLLECTIVE_GROUPED);
	return call;
}

Test(collectives, sizes_and_factors_are_those_of_nccl_tests)
{
	static const struct {
		enum collective_what what;
		uint64_t size, bus;
	} cases[] = {{COLLECTIVE_ALL_REDUCE, 800, 1400}, {COLLECTIVE_ALL_GATHER, 6400, 5600},
		{COLLECTIVE_REDUCE_SCATTER, 6400, 5600}, {COLLECTIVE_ALL_TO_ALL, 6400, 5600},
		{COLLECTIVE_BROADCAST, 800, 800}, {COLLECTIVE_REDUCE, 800, 800},
		{COLLECTIVE_SEND, 800, 800}};
	uint64_t size, bus;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(traffic_size(cases[i].what, 8, 800, &size));
		cr_assert(traffic_bus(cases[i].what, 8, size, &bus));
		cr_expect(eq(u64, size, cases[i].size));
		cr_expect(eq(u64, bus, cases[i].bus));
	}
	cr_expect(not(traffic_size(COLLECTIVE_ALL_GATHER, 0, 800, &size)));
	cr_expect(not(traffic_size(COLLECTIVE_ALL_GATHER, 8, UINT64_MAX / 2, &size)));
	cr_expect(not(traffic_bus(COLLECTIVE_ALL_REDUCE, 0, 800, &bus)));
}

Test(collectives, a_call_has_the_kernels_that_its_thread_launched_in_it)
{
	struct collectives *all = collectives_new(&lookup, COLLECTIVES_ARRIVALS);
	kernel(all, 1, 110, 500, 700, NAME_NCCL_KERNEL); /* told before its call */
	kernel(all, 1, 115, 500, 900, NAME_PLAIN_KERNEL);
	kernel(all, 2, 110, 500, 900, NAME_NCCL_KERNEL); /* of another thread */
	feed(all, 1, call_of(COLLECTIVE_ALL_REDUCE, 100, 120, 4096, 4));
	feed(all, 1, call_of(COLLECTIVE_ALL_REDUCE, 130, 140, 4096, 4));
	kernel(all, 1, 135, 800, 1100, NAME_NCCL_KERNEL);
	cr_assert(eq(int, collectives_finish(all), 0));
	cr_assert(eq(sz, all->rows.count, 1));
	const struct collectives_row *row = &all->rows.items[0];
	cr_expect(eq(u64, row->calls, 2));
	cr_expect(eq(u64, row->host_ns, 30));
	cr_expect(eq(u64, row->bytes, 8192));
	cr_expect(eq(u64, row->device.entries, 2));
	cr_expect(eq(u64, row->device.ns, 500));
	cr_expect(eq(u64, row->device.bus_bytes, 2 * 4096 * 3 / 2));
	cr_expect(eq(u64, row->most_ns, 300));
	cr_expect(eq(u64, all->arrivals.items[1].device_ns, 800));
	collectives_free(all);
}

Test(collectives, a_group_is_one_entry_launched_at_its_end)
{
	struct collectives *all = collectives_new(&lookup, COLLECTIVES_ARRIVALS);
	feed(all, 1, grouped(call_of(COLLECTIVE_BROADCAST, 10, 11, 300, 2)));
	feed(all, 2, grouped(call_of(COLLECTIVE_BROADCAST, 10, 11, 900, 2))); /* elsewhere */
	feed(all, 1, grouped(call_of(COLLECTIVE_BROADCAST, 12, 13, 500, 2)));
	kernel(all, 1, 25, 40, 60, NAME_NCCL_KERNEL);
	feed(all, 1, call_of(COLLECTIVE_GROUP, 20, 30, 0, 0));
	feed(all, 1, grouped(call_of(COLLECTIVE_SEND, 40, 41, 100, 2)));
	feed(all, 1, grouped(call_of(COLLECTIVE_RECEIVE, 41, 42, 700, 2)));
	feed(all, 1, call_of(COLLECTIVE_GROUP, 50, 60, 0, 0));
	feed(all, 1, grouped(call_of(COLLECTIVE_SEND, 70, 71, 100, 2)));
	feed(all, 1, call_of(COLLECTIVE_SIMULATED, 72, 73, 0, 0)); /* nothing ran */
	cr_assert(eq(int, collectives_finish(all), 0));
	cr_assert(eq(sz, all->rows.count, 2));
	const struct collectives_row *first = &all->rows.items[0], *second = &all->rows.items[1];
	cr_expect(eq(u8, first->key.what, COLLECTIVE_BROADCAST));
	cr_expect(eq(u64, first->calls, 3));
	cr_expect(eq(u64, first->entries, 2));
	cr_expect(eq(u64, first->bytes, 1700));
	cr_expect(eq(u64, first->host_ns, 13));
	cr_expect(eq(u64, first->device.bytes, 800));
	cr_expect(eq(u8, second->key.what, COLLECTIVES_TRANSFERS));
	cr_expect(eq(u64, second->bytes, 700));
	cr_expect(eq(u64, second->calls, 2));
	collectives_free(all);
}

Test(collectives, what_did_not_run_is_counted_beside)
{
	struct collectives *all = collectives_new(&lookup, COLLECTIVES_ARRIVALS);
	struct record failed = call_of(COLLECTIVE_ALL_REDUCE, 10, 20, 4096, 4);
	struct record captured = failed, going = failed;
	failed.result = 4;
	going.result = COLLECTIVE_IN_PROGRESS;
	record_set_COLLECTIVE_flags(&captured, COLLECTIVE_CAPTURED);
	feed(all, 1, failed);
	feed(all, 1, captured);
	feed(all, 1, going);
	struct record end = call_of(COLLECTIVE_GROUP, 30, 40, 0, 0);
	end.result = 4;
	failed.result = 0;
	feed(all, 1, grouped(failed));
	feed(all, 1, end);
	cr_assert(eq(int, collectives_finish(all), 0));
	cr_assert(eq(sz, all->rows.count, 1));
	const struct collectives_row *row = &all->rows.items[0];
	cr_expect(eq(u64, row->calls, 1));
	cr_expect(eq(u64, row->failed, 2));
	cr_expect(eq(u64, row->captured, 1));
	cr_expect(eq(u64, row->bytes, 4096));
	cr_expect(eq(sz, all->arrivals.count, 2)); /* the last one has no row */
	cr_expect(eq(u32, all->arrivals.items[1].row, UINT32_MAX));
	collectives_free(all);
}

Test(collectives, rows_are_bounded_and_nothing_is_lost)
{
	struct collectives *all = collectives_new(&lookup, COLLECTIVES_ARRIVALS);
	for (uint32_t i = 0; i < COLLECTIVES_ROWS + 50; i++) {
		struct record call = call_of(COLLECTIVE_ALL_REDUCE, i, i + 1, 8, 2);
		call.name = i + 1;
		feed(all, 1, call);
	}
	cr_assert(eq(int, collectives_finish(all), 0));
	cr_assert(eq(sz, all->rows.count, COLLECTIVES_ROWS));
	cr_expect(eq(u64, all->rows.items[COLLECTIVES_ROWS - 1].calls, 51));
	cr_expect(eq(u8, all->rows.items[COLLECTIVES_ROWS - 1].key.what, 0));
	collectives_free(all);
}
