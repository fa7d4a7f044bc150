/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/history/history.h"

static struct history *history;
static struct watch watch;
static uint64_t number; /* of the running step */

static void setup(void)
{
	history = history_new(true);
	watch = history_watch(history);
	number = 0;
}

static void teardown(void)
{
	history_free(history);
}

TestSuite(history, .init = setup, .fini = teardown);

static void piece(enum cause cause, uint64_t begin, uint64_t end)
{
	watch.piece(watch.context, cause, begin, end);
}

static void cut(enum step_cut kind, uint64_t ns)
{
	watch.cut(watch.context, kind, number, ns);
	number += kind == CUT_STEP;
}

/* Time that all pieces of a cause have. */
static uint64_t time_of(unsigned cause)
{
	uint64_t sum = 0;
	for (size_t i = 0; i + 1 < history->pieces.count; i++)
		if (history->pieces.items[i].cause == cause)
			sum += history->pieces.items[i + 1].begin_ns -
			       history->pieces.items[i].begin_ns;
	return sum;
}

Test(history, joins_pieces_of_one_cause_that_touch)
{
	piece(CAUSE_IDLE_INPUT, 100, 200);
	piece(CAUSE_IDLE_INPUT, 200, 250);
	piece(CAUSE_DEVICE_COMPUTE, 250, 300);
	cr_assert(eq(sz, history->pieces.count, 3)); /* two, and the end */
	cr_assert(eq(u64, time_of(CAUSE_IDLE_INPUT), 150));
	cr_assert(eq(u64, time_of(CAUSE_DEVICE_COMPUTE), 50));
}

Test(history, has_steps_alone_where_pieces_are_not_wanted)
{
	history_free(history);
	history = history_new(false);
	watch = history_watch(history);
	piece(CAUSE_IDLE_INPUT, 100, 200);
	cut(CUT_STEP, 200);
	piece(CAUSE_DEVICE_COMPUTE, 200, 260);
	cut(CUT_STEP, 260);
	cr_assert(eq(sz, history->pieces.count, 0));
	cr_assert(eq(sz, history->steps.count, 2));
	cr_expect(eq(u64, history->steps.items[1].end_ns, 260));
	cr_expect(eq(u64, history->steps.items[1].cause_ns[CAUSE_DEVICE_COMPUTE], 60));
	cr_expect(eq(u64, history->end_ns, 260));
}

Test(history, time_that_nobody_accounted_for_stays_apart)
{
	piece(CAUSE_IDLE_INPUT, 100, 200);
	piece(CAUSE_IDLE_INPUT, 300, 400);
	cr_assert(eq(u64, time_of(CAUSE_IDLE_INPUT), 200));
	cr_assert(eq(u64, time_of(HISTORY_NOTHING), 100));
}

Test(history, a_cut_ends_a_step_with_its_causes)
{
	piece(CAUSE_IDLE_HOST, 100, 200);
	cut(CUT_STEP, 200);
	piece(CAUSE_IDLE_INPUT, 200, 260);
	piece(CAUSE_DEVICE_COMPUTE, 260, 300);
	cut(CUT_STEP, 300);
	cr_assert(eq(sz, history->steps.count, 2));
	const struct history_step *step = &history->steps.items[1];
	cr_assert(eq(u64, step->number, 1));
	cr_assert(eq(u64, step->begin_ns, 200));
	cr_assert(eq(u64, step->end_ns, 300));
	cr_assert(eq(u64, step->cause_ns[CAUSE_IDLE_INPUT], 60));
	cr_assert(eq(u64, step->cause_ns[CAUSE_DEVICE_COMPUTE], 40));
}

Test(history, what_is_put_by_comes_back_and_what_is_aside_is_no_step)
{
	cut(CUT_STEP, 100);
	piece(CAUSE_IDLE_HOST, 100, 150);
	cut(CUT_PART, 150);
	piece(CAUSE_DEVICE_COMPUTE, 150, 400);
	cut(CUT_ASIDE, 400);
	piece(CAUSE_IDLE_INPUT, 400, 430);
	cut(CUT_STEP, 430);
	cr_assert(eq(sz, history->steps.count, 3));
	cr_assert(history->steps.items[1].aside);
	cr_assert(eq(u64, history->steps.items[1].cause_ns[CAUSE_DEVICE_COMPUTE], 250));
	const struct history_step *step = &history->steps.items[2];
	cr_assert(not(step->aside));
	cr_assert(eq(u64, step->number, 1));
	cr_assert(eq(u64, step->cause_ns[CAUSE_IDLE_HOST], 50));
	cr_assert(eq(u64, step->cause_ns[CAUSE_IDLE_INPUT], 30));
	cr_assert(eq(u64, step->cause_ns[CAUSE_DEVICE_COMPUTE], 0));
}

Test(history, better_marks_make_all_before_the_time_before_the_first_step)
{
	piece(CAUSE_IDLE_HOST, 100, 200);
	cut(CUT_STEP, 200);
	piece(CAUSE_IDLE_HOST, 200, 300);
	watch.restart(watch.context);
	number = 0;
	piece(CAUSE_DEVICE_COMPUTE, 300, 310);
	cut(CUT_STEP, 310);
	cr_assert(eq(sz, history->steps.count, 1));
	cr_assert(eq(u64, history->steps.items[0].begin_ns, 100));
	cr_assert(eq(u64, history->steps.items[0].number, 0));
	cr_assert(eq(u64, history->steps.items[0].cause_ns[CAUSE_IDLE_HOST], 200));
	cr_assert(eq(u64, time_of(CAUSE_IDLE_HOST), 200));
}

Test(history, many_pieces_become_fewer_and_keep_all_time)
{
	const uint64_t count = 4ull * HISTORY_PIECES;
	for (uint64_t i = 0; i < count; i++)
		piece(i % 8 == 0 ? CAUSE_IDLE_SYNC : CAUSE_DEVICE_COMPUTE + (i % 2) * 2,
			1000 + i * 100, 1000 + (i + 1) * 100);
	uint64_t sum = 0;
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		sum += time_of(cause);
	cr_assert(eq(u64, sum, count * 100));
	cr_assert(history->pieces.count <= HISTORY_PIECES);
	cr_assert(history->tick_ns >= 1024);
}

/* Ticks grow with the time that there is, not with the number of pieces. */
Test(history, a_long_run_has_ticks_as_long_as_it_needs)
{
	const uint64_t count = 64ull * HISTORY_PIECES, ns = 10;
	for (uint64_t i = 0; i < count; i++)
		piece(i % 3 == 0 ? CAUSE_IDLE_INPUT : CAUSE_DEVICE_COMPUTE, ns * (i + 1),
			ns * (i + 2));
	cr_assert(le(sz, history->pieces.count, HISTORY_PIECES));
	cr_assert(eq(u64, time_of(CAUSE_IDLE_INPUT) + time_of(CAUSE_DEVICE_COMPUTE), ns * count));
	cr_assert(le(u64, history->tick_ns, 4 * ns * count / (HISTORY_PIECES / 2)));
}

Test(history, steps_beyond_the_limit_are_counted)
{
	for (uint64_t i = 1; i <= HISTORY_STEPS + 10; i++)
		cut(CUT_STEP, i * 100);
	cr_assert(eq(sz, history->steps.count, HISTORY_STEPS));
	cr_assert(eq(u64, history->left_out, 10));
}
