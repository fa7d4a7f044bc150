/* SPDX-License-Identifier: MIT */
/* What waits are charged with, what is certain about the device, and what is kept of a stretch. */
#include "test/unit/decisions/sweeping.h"

TestSuite(sweep_waits, .init = begin, .fini = end);

static uint64_t exposed(uint32_t spot)
{
	uint64_t found[SPOT_FINDING_COUNT];
	series_sum(&spots->items[spot].found, 0, 1, found);
	return found[SPOT_EXPOSED_NS];
}

/* A wait of line 0 from 0 to 100 that took so much of it; then host code until 1000. */
Test(sweep_waits, idle_time_after_a_wait_is_charged_up_to_the_lead_that_it_cost)
{
	static const uint64_t waited[] = {60, 1, 99};
	uint64_t values[SWEEP_VALUE_COUNT];
	for (size_t i = 0; i < sizeof(waited) / sizeof(waited[0]); i++) {
		end();
		begin();
		cr_assert(host_add(&host, PIECE_WAIT, 0, 100, 0, 0) == 0);
		cr_assert(sweep_device(sweep, K, 0, 100, 0) == 0);
		run_to((struct sweep_end){.to_ns = 100,
			.wait_begin_ns = 1,
			.spare_ns = 99 - waited[i],
			.exact = true});
		run_to((struct sweep_end){.to_ns = 1000, .empty_ns = 500});
		sums(0, 1, values);
		cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], waited[i]));
		cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 900 - waited[i]));
		cr_expect(eq(u64, exposed(0), waited[i]));
		cr_expect(eq(u64, values[SWEEP_WAITED_NS], waited[i]));
	}
}

/* What has a cause of its own keeps it, whatever a wait before it cost; other code does not. */
Test(sweep_waits, a_wait_does_not_pay_for_what_has_a_name)
{
	static const struct piece pieces[] = {P(100, 130, PIECE_INPUT), P(130, 150, PIECE_ALLOC),
		P(150, 155, PIECE_GC), P(155, 161, PIECE_GIL), P(161, 168, PIECE_STALL),
		P(168, 180, PIECE_HOST), P(180, 200, PIECE_LAUNCH)};
	uint64_t values[SWEEP_VALUE_COUNT];
	cr_assert(host_add(&host, PIECE_WAIT, 0, 100, 0, 0) == 0);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		cr_assert(
			host_add(&host, pieces[i].kind, pieces[i].begin, pieces[i].end, 0, 0) == 0);
	cr_assert(sweep_device(sweep, K, 0, 100, 0) == 0);
	run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 70, .exact = true});
	run_to((struct sweep_end){.to_ns = 200, .empty_ns = 182});
	sums(0, 1, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_INPUT], 30));
	cr_expect(eq(u64, values[CAUSE_IDLE_ALLOC], 20));
	cr_expect(eq(u64, values[CAUSE_IDLE_GC], 5));
	cr_expect(eq(u64, values[CAUSE_IDLE_GIL], 6));
	cr_expect(eq(u64, values[CAUSE_IDLE_BLOCKED], 7));
	cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], 12 + 18)); /* the lead of 30 */
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 0));
	cr_expect(eq(u64, values[CAUSE_IDLE_LAUNCH], 2));
}

/* Line 0 waits for 60, then a line waits from 160 to 200 for work or for nothing; all in a row. */
Test(sweep_waits, lead_that_several_waits_cost_adds_up)
{
	static const struct {
		const char *name;
		bool other, exact;
		uint64_t first, second;
	} next[] = {
		{"the same line finds the device done", false, false, 60, 0},
		{"another line finds it done", true, false, 60, 0},
		{"the same line waits again", false, true, 100, 0},
		{"another line waits", true, true, 60, 40},
	};
	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		uint64_t values[SWEEP_VALUE_COUNT];
		end();
		begin();
		cr_assert(sweep_device(sweep, K, 0, 200, 0) == 0);
		run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 40, .exact = true});
		run_to((struct sweep_end){.to_ns = 200,
			.wait_begin_ns = 160,
			.spot = next[i].other ? other : 0,
			.exact = next[i].exact});
		run_to((struct sweep_end){.to_ns = 1000});
		sums(0, 1, values);
		cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], next[i].first + next[i].second), "%s",
			next[i].name);
		cr_expect(eq(u64, exposed(0), next[i].first), "%s", next[i].name);
		cr_expect(eq(u64, exposed(other), next[i].second), "%s", next[i].name);
	}
}

/* The host idles the device for 30 behind each of two waits: the later one pays first. */
Test(sweep_waits, the_latest_wait_pays_first)
{
	cr_assert(sweep_device(sweep, K, 0, 100, 0) == 0);
	run_to((struct sweep_end){.to_ns = 60, .wait_begin_ns = 10, .exact = true});
	run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 80, .spot = other, .exact = true});
	run_to((struct sweep_end){.to_ns = 130});
	cr_expect(eq(u64, exposed(other), 20));
	cr_expect(eq(u64, exposed(0), 10));
}

/* A loop waits for 40 in each step and once idles the device for long: not all is the wait's. */
Test(sweep_waits, what_was_lost_in_a_step_is_forgotten_when_the_next_one_ends)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	cr_assert(sweep_device(sweep, K, 0, 500, 0) == 0);
	for (uint64_t ns = 100; ns <= 500; ns += 100) {
		run_to((struct sweep_end){.to_ns = ns, .wait_begin_ns = ns - 40, .exact = true});
		cr_assert(sweep_cut(sweep, ns, CUT_STEP));
	}
	run_to((struct sweep_end){.to_ns = 900});
	sums(0, 6, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], 40));
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 400 - 40));
}

/*
 * Of 0 to 100: blocked from 0 to 30, a wait from 60 on, the device works from 20 to 90. Another
 * thread's wait may be meanwhile.
 */
Test(sweep_waits, what_is_certain_about_the_device)
{
	static const struct {
		const char *name;
		bool measured, exact;
		uint64_t empty_ns, certain, empty, busy, foreign_ns;
	} bounds[] = {
		{"it kept the host waiting", false, true, 0, 30 + 40, 0, 0, 0},
		{"it had finished", false, false, 0, 30, 0, 0, 0},
		{"it had nothing to do at first", false, false, 15, 30, 15, 0, 0},
		{"it said what it did", true, true, 15, 70, 30, 70, 0},
		{"it kept another thread too", false, true, 0, 90, 0, 0, 10},
		{"another thread came late", false, true, 0, 30, 0, 0, 80},
	};
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		uint64_t values[SWEEP_VALUE_COUNT];
		end();
		begin();
		cr_assert(host_add(&host, PIECE_BLOCKED, 0, 30, 0, 0) == 0);
		cr_assert(host_add(&host, PIECE_WAIT, 60, 100, 0, 0) == 0);
		cr_assert(sweep_device(sweep, K, 20, 90, 0) == 0);
		run_to((struct sweep_end){.to_ns = 100,
			.wait_begin_ns = bounds[i].foreign_ns ? bounds[i].foreign_ns : 60,
			.foreign = bounds[i].foreign_ns > 0,
			.exact = bounds[i].exact,
			.empty_ns = bounds[i].empty_ns,
			.measured = bounds[i].measured});
		sums(0, 1, values);
		cr_expect(
			eq(u64, values[SWEEP_CERTAIN_NS], bounds[i].certain), "%s", bounds[i].name);
		cr_expect(eq(u64, values[SWEEP_EMPTY_NS], bounds[i].empty), "%s", bounds[i].name);
		cr_expect(eq(u64, values[SWEEP_MEASURED_NS], bounds[i].measured ? 100 : 0), "%s",
			bounds[i].name);
		cr_expect(eq(u64, values[SWEEP_MEASURED_BUSY_NS], bounds[i].busy), "%s",
			bounds[i].name);
	}
}

/* What is kept to be played again: the host from 0 to 100, a wait from 70 on, work of 20 to 95. */
Test(sweep_waits, what_is_kept_of_a_stretch)
{
	const struct stretch_kept *kept = sweep->whatif.stretches;
	cr_assert(host_add(&host, PIECE_INPUT, 0, 20, 0, 0) == 0);
	cr_assert(host_add(&host, PIECE_LAUNCH, 20, 50, 0, 0) == 0);
	cr_assert(host_add(&host, PIECE_WAIT, 70, 100, 0, 0) == 0);
	cr_assert(sweep_device(sweep, K, 20, 60, 0) == 0);
	cr_assert(sweep_device(sweep, C, 50, 95, 0) == 0);
	run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 70, .spare_ns = 4, .spot = 0});
	cr_expect(eq(dbl, kept->host_ns, 70));
	cr_assert(eq(u8, kept->piece_count, 2));
	cr_expect(eq(int, sweep->whatif.pieces.items[0].kind, PIECE_LAUNCH));
	cr_expect(eq(dbl, sweep->whatif.pieces.items[0].ns, 30));
	cr_expect(eq(int, sweep->whatif.pieces.items[1].kind, PIECE_INPUT));
	cr_expect(eq(dbl, sweep->whatif.pieces.items[1].ns, 20));
	cr_expect(eq(dbl, kept->device_ns, 75));
	cr_expect(eq(dbl, kept->tail_ns, 95));
	cr_expect(kept->waits);
	cr_expect(eq(dbl, kept->spare_ns, 4));
	cr_expect(eq(u64, sweep->whatif.count, 1));
}

/* Two kernels, the second of which ends before the stretch does. */
Test(sweep_waits, the_end_of_what_the_device_computes_is_kept)
{
	const struct stretch_kept *kept = sweep->whatif.stretches;
	cr_assert(host_add(&host, PIECE_LAUNCH, 0, 50, 0, 0) == 0);
	cr_assert(host_add(&host, PIECE_WAIT, 50, 100, 0, 0) == 0);
	cr_assert(sweep_device(sweep, K, 20, 40, 0) == 0);
	cr_assert(sweep_device(sweep, K, 40, 60, 0) == 0);
	run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 50, .spare_ns = 4, .spot = 0});
	cr_expect(eq(dbl, kept->device_ns, 40));
	cr_expect(eq(dbl, kept->tail_ns, 60));
}

Test(sweep_waits, time_that_has_been_swept_stays)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	run_to((struct sweep_end){.to_ns = 100});
	run_to((struct sweep_end){.to_ns = 100});
	cr_assert(sweep_device(sweep, K, 0, 90, 0) == 0); /* too late */
	run_to((struct sweep_end){.to_ns = 50});
	sums(0, 1, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 100));
	run_to((struct sweep_end){.to_ns = 120});
	sums(0, 1, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 120));
	cr_expect(eq(u64, values[CAUSE_DEVICE_COMPUTE], 0));
}

/* 90 of 100 ns: 40 in the step that ends then, 30 in the next, 20 in the one after, as its call. */
Test(sweep_waits, a_wait_over_several_steps_is_told_in_each)
{
	uint64_t values[SWEEP_VALUE_COUNT], found[SPOT_FINDING_COUNT];
	static const uint64_t waited[] = {40, 30, 20};
	cr_assert(host_add(&host, PIECE_WAIT, 0, 100, 0, 0) == 0);
	cr_assert(sweep_device(sweep, K, 0, 90, 0) == 0);
	cr_assert(sweep_cut(sweep, 41, CUT_STEP) && sweep_cut(sweep, 71, CUT_STEP));
	run_to((struct sweep_end){.to_ns = 101, .wait_begin_ns = 1, .spare_ns = 10, .exact = true});
	for (uint64_t step = 0; step < 3; step++) {
		sums(step, step + 1, values);
		series_sum(&spots->items[0].found, step, step + 1, found);
		cr_expect(eq(u64, values[SWEEP_WAITED_NS], waited[step]));
		cr_expect(eq(u64, found[SPOT_WAITED_NS], step == 2 ? 90 : 0));
	}
}
