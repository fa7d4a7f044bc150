/* SPDX-License-Identifier: MIT */
/*
 * Waits in calls that are for something else: a call from 20 to 100, which allocates or frees, and
 * in which the device holds the host until 90. Then host code until 200.
 */
#include "test/unit/decisions/sweeping.h"

TestSuite(sweep_aside, .init = begin, .fini = end);

static void call_that_waits(bool exact, uint64_t spare_ns, bool cut)
{
	cr_assert(host_add(&host, PIECE_ALLOC, 20, 100, other, 0) == 0);
	cr_assert(sweep_device(sweep, K, 0, 90, 0) == 0);
	if (cut)
		cr_assert(sweep_cut(sweep, 95, CUT_STEP));
	run_to((struct sweep_end){.to_ns = 100,
		.wait_begin_ns = 20,
		.spare_ns = spare_ns,
		.spot = other,
		.aside = PIECE_ALLOC,
		.exact = exact,
		.measured = true});
	run_to((struct sweep_end){.to_ns = 200, .measured = true});
}

static uint64_t exposed(void)
{
	uint64_t found[SPOT_FINDING_COUNT];
	series_sum(&spots->items[other].found, 0, 2, found);
	return found[SPOT_EXPOSED_NS];
}

Test(sweep_aside, the_part_that_waits_is_waiting_and_the_rest_allocating)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	call_that_waits(true, 10, false);
	sums(0, 1, values);
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_WAIT], 70));
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_ALLOC], 10));
	cr_expect(eq(u64, values[SWEEP_WAITED_NS], 70));
	cr_expect(eq(u64, values[CAUSE_IDLE_ALLOC], 10));
	cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], 70)); /* of the 100 behind it */
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 30));
	cr_expect(eq(u64, exposed(), 10 + 70));
}

Test(sweep_aside, without_a_wait_it_only_allocates)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	call_that_waits(false, 80, false);
	sums(0, 1, values);
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_WAIT], 0));
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_ALLOC], 80));
	cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], 0));
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 100));
	cr_expect(not(sweep->whatif.stretches[0].waits));
	cr_expect(eq(dbl, sweep->whatif.stretches[0].host_ns, 100));
}

/* An allocation from 20 to 50, then an explicit wait from 60 on: each is what it is. */
Test(sweep_aside, an_explicit_wait_takes_nothing_off_allocations)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	cr_assert(host_add(&host, PIECE_ALLOC, 20, 50, other, 0) == 0);
	cr_assert(host_add(&host, PIECE_WAIT, 60, 100, 0, 0) == 0);
	cr_assert(sweep_device(sweep, K, 0, 90, 0) == 0);
	run_to((struct sweep_end){
		.to_ns = 100, .wait_begin_ns = 60, .spare_ns = 10, .exact = true});
	sums(0, 1, values);
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_ALLOC], 30));
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_WAIT], 40));
	cr_expect(eq(dbl, sweep->whatif.stretches[0].spare_ns, 10));
}

/* The step ends between the device's end and the call's: the wait is kept with the last part. */
Test(sweep_aside, what_is_kept_to_be_played_again)
{
	const struct stretch_kept *kept = sweep->whatif.stretches;
	call_that_waits(true, 10, true);
	cr_expect(eq(dbl, kept[0].host_ns, 20 + 5));
	cr_assert(eq(u8, kept[0].piece_count, 1));
	cr_expect(eq(int, sweep->whatif.pieces.items[0].kind, PIECE_ALLOC));
	cr_expect(eq(dbl, sweep->whatif.pieces.items[0].ns, 5));
	cr_expect(not(kept[0].waits));
	cr_expect(eq(dbl, kept[1].host_ns, 5));
	cr_expect(kept[1].waits);
	cr_expect(eq(dbl, kept[1].spare_ns, 0));
	cr_expect(eq(u32, kept[1].spot, other));
}
