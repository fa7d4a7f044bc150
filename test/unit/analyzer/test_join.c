/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/device/join.h"
#include "analyzer/model/model.h"
#include "analyzer/read/merge.h"

#define TOLD_LIMIT 131072u
#define START      1000000000ull

/* What the join told, in order. */
struct told {
	uint64_t calls[TOLD_LIMIT];
	uint64_t begins[TOLD_LIMIT];
	unsigned count;
	uint64_t claimed_call;
	uint32_t claimed;
	uint64_t claimed_begin, claimed_end;
};

static int tell(void *context, uint64_t call, const struct record *operation)
{
	struct told *told = context;
	cr_assert(told->count < TOLD_LIMIT);
	told->calls[told->count] = call;
	told->begins[told->count++] = operation->begin;
	return 0;
}

static void claim(void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns)
{
	struct told *told = context;
	told->claimed_call = call;
	told->claimed += count;
	told->claimed_begin = begin_ns;
	told->claimed_end = end_ns;
}

static struct told told;
static struct join *join;

static void begin(void)
{
	const struct join_sink sink = {.context = &told, .operation = tell, .claimed = claim};
	told = (struct told){0};
	join = join_new(&sink);
	cr_assert(join != NULL);
}

static void end(void)
{
	join_free(join);
}

TestSuite(join, .init = begin, .fini = end);

static void add_api(uint32_t tid, uint32_t correlation, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record record = {.kind = RECORD_DEVICE_API,
		.begin = START + begin_ns,
		.end = START + end_ns,
		.a = tid,
		.place = correlation};
	cr_assert(join_record(join, &record) == 0);
}

static void add_kernel(uint32_t correlation, uint64_t begin_ns)
{
	const struct record record = {.kind = RECORD_DEVICE_KERNEL,
		.begin = START + begin_ns,
		.end = START + begin_ns + 100,
		.place = correlation};
	cr_assert(join_record(join, &record) == 0);
}

static void add_call(uint32_t tid, uint64_t number, uint64_t begin_ns, uint64_t end_ns)
{
	cr_assert(join_call(join, tid, number, START + begin_ns, START + end_ns) == 0);
}

/* The three sides of one call in every order: 0 call, 1 interface, 2 operation. */
Test(join, any_order_of_the_three_records)
{
	static const unsigned orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	for (unsigned i = 0; i < 6; i++) {
		uint64_t at = 10000 * i;
		for (unsigned part = 0; part < 3; part++)
			switch (orders[i][part]) {
			case 0:
				add_call(7, i, at, at + 1000);
				break;
			case 1:
				add_api(7, 100 + i, at + 100, at + 900);
				break;
			default:
				add_kernel(100 + i, at + 2000);
			}
		cr_assert(eq(u32, told.count, i + 1), "order %u", i);
		cr_assert(eq(u64, told.calls[i], i), "order %u", i);
	}
	cr_assert(eq(u64, join->counts.matched, 6));
}

Test(join, the_interface_may_lie_around_the_call)
{
	/* a runtime that is linked statically: its record holds a driver call of ours */
	add_call(7, 3, 200, 800);
	add_api(7, 50, 100, 900);
	add_kernel(50, 2000);
	cr_assert(eq(u64, told.calls[0], 3));
	/* the same, the call last */
	add_api(7, 51, 10100, 10900);
	add_kernel(51, 12000);
	add_call(7, 4, 10200, 10800);
	cr_assert(eq(u64, told.calls[1], 4));
}

Test(join, two_records_of_the_interface_for_one_call)
{
	/* the driver's ends first, within the runtime's, with the same id */
	add_api(7, 50, 300, 700);
	add_api(7, 50, 100, 900);
	add_call(7, 3, 50, 1000);
	add_kernel(50, 2000);
	add_api(7, 51, 10300, 10700);
	add_call(7, 4, 10050, 11000);
	add_api(7, 51, 10100, 10900);
	add_kernel(51, 12000);
	cr_assert(eq(u32, told.count, 2));
	cr_assert(eq(u64, told.calls[0], 3));
	cr_assert(eq(u64, told.calls[1], 4));
}

Test(join, a_call_of_another_thread_at_the_same_time_is_another_call)
{
	add_call(7, 1, 0, 1000);
	add_call(8, 2, 0, 1000);
	add_api(8, 50, 100, 900);
	add_api(7, 51, 100, 900);
	add_kernel(50, 2000);
	add_kernel(51, 2000);
	cr_assert(eq(u64, told.calls[0], 2));
	cr_assert(eq(u64, told.calls[1], 1));
}

Test(join, records_of_the_interface_out_of_order)
{
	for (unsigned i = 0; i < 50; i++)
		add_api(7, 100 + i * 7 % 50, 10000 * (i * 7 % 50), 10000 * (i * 7 % 50) + 500);
	for (unsigned i = 0; i < 50; i++)
		add_call(7, i, 10000 * i, 10000 * i + 500);
	for (unsigned i = 0; i < 50; i++)
		add_kernel(100 + i, 10000 * i + 1000);
	for (unsigned i = 0; i < 50; i++)
		cr_assert(eq(u64, told.calls[i], i));
}

Test(join, operations_of_calls_that_were_not_recorded_have_none)
{
	add_call(7, 1, 0, 1000);
	add_call(7, 2, 50000, 51000);
	add_api(7, 60, 20000, 20500); /* between the two: known at once */
	add_kernel(60, 21000);
	cr_assert(eq(u32, told.count, 1));
	cr_assert(eq(u64, told.calls[0], JOIN_NO_CALL));
	add_api(7, 61, 60000, 60500); /* known when the next call comes */
	add_kernel(61, 61000);
	cr_assert(eq(u32, told.count, 1));
	add_call(7, 3, 70000, 71000);
	cr_assert(eq(u32, told.count, 2));
	cr_assert(eq(u64, told.calls[1], JOIN_NO_CALL));
	add_kernel(62, 62000); /* known at the end */
	cr_assert(eq(u32, told.count, 2));
	cr_assert(join_finish(join) == 0);
	cr_assert(eq(u64, told.calls[2], JOIN_NO_CALL));
	cr_assert(eq(u64, join->counts.matched, 0));
	cr_assert(eq(u64, join->counts.operations, 3));
}

Test(join, a_graph_owns_many_operations)
{
	add_kernel(50, 2000);
	add_kernel(50, 3000);
	add_api(7, 50, 100, 900);
	add_kernel(50, 4000);
	add_call(7, 9, 0, 1000);
	add_kernel(50, 5000);
	cr_assert(eq(u32, told.count, 4));
	for (unsigned i = 0; i < 4; i++) {
		cr_assert(eq(u64, told.calls[i], 9));
		cr_assert(eq(u64, told.begins[i], START + 2000 + 1000 * i));
	}
}

Test(join, ids_come_again)
{
	/* around the end of 32 bits, and the same id at once for another call */
	uint32_t id = UINT32_MAX - 2;
	for (unsigned i = 0; i < 8; i++, id++) {
		add_call(7, i, 10000 * i, 10000 * i + 1000);
		add_api(7, id == 0 ? 77 : id, 10000 * i + 100, 10000 * i + 900);
		add_kernel(id == 0 ? 77 : id, 10000 * i + 2000);
		cr_assert(eq(u64, told.calls[i], i));
	}
	add_call(7, 20, 900000, 901000);
	add_api(7, 77, 900100, 900900);
	add_kernel(77, 902000);
	cr_assert(eq(u64, told.calls[8], 20));
	/* an operation long before the call of its id is of an earlier one */
	add_call(7, 21, 9000000, 9001000);
	add_api(7, 77, 9000100, 9000900);
	add_kernel(77, 903000);
	cr_assert(eq(u64, told.calls[9], JOIN_NO_CALL));
}

Test(join, what_does_not_fit_is_told_without_a_call_and_claimed_later)
{
	add_api(7, 50, 100, 900);
	for (unsigned i = 0; i < JOIN_WAITING + 10; i++)
		add_kernel(50, 2000 + i);
	/* the oldest made room, with all that waited for the same call */
	cr_assert(eq(u32, told.count, JOIN_WAITING));
	cr_assert(eq(u64, told.calls[0], JOIN_NO_CALL));
	cr_assert(eq(u64, join->counts.crowded, 1));
	add_call(7, 5, 0, 1000);
	cr_assert(eq(u64, told.claimed_call, 5));
	cr_assert(eq(u32, told.claimed, JOIN_WAITING));
	cr_assert(eq(u64, told.claimed_begin, START + 2000));
	cr_assert(eq(u64, told.claimed_end, START + 2000 + JOIN_WAITING - 1 + 100));
	cr_assert(eq(u32, told.count, JOIN_WAITING + 10));
	cr_assert(eq(u64, told.calls[JOIN_WAITING], 5));
	cr_assert(eq(u64, join->counts.matched, JOIN_WAITING + 10));
}

/* Calls are told late at the start of a trace: some are looked at first, some wait for order. */
Test(join, a_call_may_be_told_after_all_that_a_model_and_a_merge_hold)
{
	const unsigned count = MODEL_PREFIX + MERGE_LIMIT;
	for (unsigned i = 0; i < count; i++) {
		add_api(7, 1 + i, 1000ull * i + 100, 1000ull * i + 900);
		add_kernel(1 + i, 1000ull * i + 2000);
	}
	for (unsigned i = 0; i < count; i++)
		add_call(7, i, 1000ull * i, 1000ull * i + 1000);
	cr_assert(eq(u64, join->counts.matched, count));
	cr_assert(eq(u32, told.count, count));
	cr_assert(eq(u32, told.claimed, 0));
	cr_assert(eq(u64, told.calls[count - 1], count - 1));
}

/* Most calls ask nothing of the device, so the ids of those that do are far apart, and wrap. */
Test(join, ids_are_far_apart)
{
	static const uint32_t steps[] = {2, 3, 16, 4096, JOIN_ENTRIES, 0x01000193u};
	const unsigned count = MODEL_PREFIX + MERGE_LIMIT;
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		end();
		begin();
		uint32_t first = UINT32_MAX - steps[i] * (count / 2);
		for (unsigned n = 0; n < count; n++) {
			add_api(7, first + n * steps[i], 1000ull * n + 100, 1000ull * n + 900);
			add_kernel(first + n * steps[i], 1000ull * n + 2000);
		}
		for (unsigned n = 0; n < count; n++)
			add_call(7, n, 1000ull * n, 1000ull * n + 1000);
		cr_assert(eq(u32, told.count, count), "%u", steps[i]);
		for (unsigned n = 0; n < count; n++)
			cr_assert(eq(u64, told.calls[n], n), "%u", steps[i]);
		cr_assert(eq(u64, join->counts.matched, count));
		cr_assert(eq(u64, join->counts.crowded, 0));
		cr_assert(eq(u32, join->table.entry_count, JOIN_ENTRIES));
	}
}

/* What is answered is kept as well: operations of one call come sooner and later. */
Test(join, the_last_ids_are_known)
{
	for (uint32_t i = 1; i <= 3 * JOIN_ENTRIES; i++) {
		add_call(7, i, 1000ull * i, 1000ull * i + 600);
		add_api(7, 16 * i, 1000ull * i, 1000ull * i + 500);
	}
	for (uint32_t i = 2 * JOIN_ENTRIES + 1; i <= 3 * JOIN_ENTRIES; i++)
		add_kernel(16 * i, 1000ull * i + 2000);
	cr_assert(eq(u32, told.count, JOIN_ENTRIES));
	cr_assert(eq(u64, join->counts.matched, JOIN_ENTRIES));
	cr_assert(eq(u64, told.calls[0], 2 * JOIN_ENTRIES + 1));
	/* the one before them has made room; it waits, as one whose call may come */
	add_kernel(16 * 2 * JOIN_ENTRIES, 2000ull * JOIN_ENTRIES + 2000);
	cr_assert(eq(u32, told.count, JOIN_ENTRIES));
	cr_assert(eq(u32, join->table.entry_count, JOIN_ENTRIES));
	cr_assert(eq(u64, join->counts.crowded, 0));
}

Test(join, a_backlog_makes_the_table_grow_and_then_give_up_the_oldest)
{
	const unsigned threads = 5, count = JOIN_APIS;
	for (uint32_t i = 0; i < threads * count; i++)
		add_api(7 + i / count, 3 + 5 * i, 1000ull * i, 1000ull * i + 500);
	cr_assert(eq(u32, join->table.entry_count, JOIN_ENTRIES_MOST));
	cr_assert(eq(u64, join->counts.crowded, count));
	/* those of the first thread made room, and for this one the next */
	add_kernel(3 + 5 * (count - 1), 1000ull * count);
	cr_assert(eq(u64, join->counts.crowded, count + 1));
	add_kernel(3 + 5 * (count + 1), 1000ull * count + 3000);
	add_call(7, 1, 1000ull * (count - 1), 1000ull * (count - 1) + 600);
	add_call(8, 2, 1000ull * (count + 1), 1000ull * (count + 1) + 600);
	cr_assert(eq(u32, told.count, 1));
	cr_assert(eq(u64, told.calls[0], 2));
}

/* One call that is never told does not cost the others their place. */
Test(join, what_waits_long_is_passed_over)
{
	add_api(9, 5, 100, 900);
	add_kernel(6, 2000);
	for (uint32_t i = 10; i < 3 * JOIN_ENTRIES; i++) {
		add_call(7, i, 1000ull * i, 1000ull * i + 600);
		add_api(7, i, 1000ull * i, 1000ull * i + 500);
	}
	cr_assert(eq(u32, join->table.entry_count, JOIN_ENTRIES));
	cr_assert(eq(u64, join->counts.crowded, 0));
	add_kernel(5, 3000);
	add_api(9, 6, 1100, 1900);
	add_call(9, 3, 0, 1000);
	add_call(9, 4, 1000, 2000);
	cr_assert(eq(u32, told.count, 2));
	cr_assert(eq(u64, told.calls[0], 3));
	cr_assert(eq(u64, told.calls[1], 4));
}

/* In a window: it is work at once, and finds its call all the same if that comes after all. */
Test(join, an_operation_from_before_the_window_does_not_wait)
{
	source_set_window(&join->source, START, START + 1000000);
	add_kernel(50, 2000);
	cr_assert(eq(u32, told.count, 1));
	cr_assert(eq(u64, told.calls[0], JOIN_NO_CALL));
	cr_assert(eq(u64, join->counts.away, 1));
	add_api(7, 50, 100, 900);
	add_call(7, 9, 0, 1000);
	cr_assert(eq(u32, told.claimed, 1));
	cr_assert(eq(u64, told.claimed_call, 9));
	cr_assert(eq(u64, join->counts.away, 0));
	cr_assert(eq(u64, join->counts.matched, 1));
	/* from now on ids tell: lower ones are from before, higher ones have lost their call */
	add_kernel(49, 3000);
	add_kernel(51, 4000);
	cr_assert(eq(u32, told.count, 2));
	cr_assert(eq(u64, join->counts.away, 1));
	cr_assert(join_finish(join) == 0);
	cr_assert(eq(u64, join->counts.away, 1));
	cr_assert(eq(u64, join->counts.late, 0));
}

Test(join, forgotten_calls_are_no_calls_that_were_not_recorded)
{
	for (unsigned i = 0; i < 3; i++)
		add_call(7, i, 10000 * i, 10000 * i + 1000);
	join_forget(join, 2);
	add_call(7, 3, 30000, 31000);
	add_api(7, 50, 10100, 10900);
	add_kernel(50, 12000);
	cr_assert(eq(u64, told.calls[0], JOIN_NO_CALL));
	cr_assert(eq(u64, join->counts.late, 1));
	/* between what was forgotten and what is kept there was none */
	add_api(7, 51, 11100, 11900);
	add_kernel(51, 13000);
	add_api(7, 52, 20100, 20900);
	add_kernel(52, 22000);
	cr_assert(eq(u64, told.calls[1], JOIN_NO_CALL));
	cr_assert(eq(u64, told.calls[2], 2));
	cr_assert(eq(u64, join->counts.late, 1));
}
