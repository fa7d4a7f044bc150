/* SPDX-License-Identifier: MIT */
/* The limits of what counts as a repeating sequence of calls, and which call of it ends a step. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/steps/period.h"

#define MOST 2000u

static uint64_t tokens[MOST];
static uint32_t count;

static void add(uint64_t number, enum token_rank rank)
{
	cr_assert(lt(u32, count, MOST));
	tokens[count++] = number << 8 | 4 | rank;
}

static uint64_t token(uint64_t number, enum token_rank rank)
{
	return number << 8 | 4 | rank;
}

Test(period_limits, three_repeats_are_a_period_two_are_not)
{
	struct period period;
	for (unsigned i = 0; i < 20; i++)
		add(1 + i % 10, TOKEN_LAUNCH);
	cr_expect(not(period_find(tokens, count, &period)));
	for (unsigned i = 0; i < 10; i++)
		add(1 + i, TOKEN_LAUNCH);
	cr_assert(period_find(tokens, count, &period));
	cr_expect(eq(u32, period.length, 10));
	cr_expect(eq(dbl, period.match, 1.0));
}

/* A block of the five calls in an order, six times; the last call of the best kind ends a step. */
Test(period_limits, the_call_that_ends_a_step)
{
	static const struct {
		const char *name;
		enum token_rank ranks[5];
		unsigned anchor; /* its place in the block, from 1 */
	} cases[] = {
		{"an upload is better than a wait",
			{TOKEN_LAUNCH, TOKEN_UPLOAD, TOKEN_SYNC, TOKEN_READ, TOKEN_LAUNCH}, 2},
		{"a wait is better than a read",
			{TOKEN_LAUNCH, TOKEN_LAUNCH, TOKEN_SYNC, TOKEN_READ, TOKEN_LAUNCH}, 3},
		{"a read is better than a launch",
			{TOKEN_LAUNCH, TOKEN_LAUNCH, TOKEN_READ, TOKEN_LAUNCH, TOKEN_LAUNCH}, 3},
		{"of equals the last",
			{TOKEN_SYNC, TOKEN_LAUNCH, TOKEN_SYNC, TOKEN_LAUNCH, TOKEN_READ}, 3},
		{"of launches alone the last",
			{TOKEN_LAUNCH, TOKEN_LAUNCH, TOKEN_LAUNCH, TOKEN_LAUNCH, TOKEN_LAUNCH}, 5},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct period period;
		count = 0;
		for (unsigned repeat = 0; repeat < 6; repeat++)
			for (unsigned at = 1; at <= 5; at++)
				add(at, cases[i].ranks[at - 1]);
		cr_assert(period_find(tokens, count, &period), "%s", cases[i].name);
		cr_expect(eq(u32, period.length, 5), "%s", cases[i].name);
		cr_expect(eq(u64, period.anchor,
				  token(cases[i].anchor, cases[i].ranks[cases[i].anchor - 1])),
			"%s", cases[i].name);
	}
}

Test(period_limits, a_call_that_comes_twice_in_a_step_does_not_end_it)
{
	struct period period;
	for (unsigned repeat = 0; repeat < 6; repeat++) {
		add(1, TOKEN_UPLOAD);
		add(2, TOKEN_LAUNCH);
		add(1, TOKEN_UPLOAD);
		add(3, TOKEN_READ);
	}
	cr_assert(period_find(tokens, count, &period));
	cr_expect(eq(u32, period.length, 4));
	cr_expect(eq(u64, period.anchor, token(3, TOKEN_READ)));
}

/*
 * Steps of 19 calls; after every second one some reads: up to a twentieth of all is now and
 * then.
 */
static uint32_t length_with(unsigned rare, enum token_rank rank)
{
	struct period period;
	count = 0;
	for (unsigned step = 0; step < 24; step++) {
		add(9, TOKEN_UPLOAD);
		for (unsigned i = 0; i < 18; i++)
			add(1 + i % 3, TOKEN_LAUNCH);
		for (unsigned i = 0; i < rare && step % 2 != 0; i++)
			add(100 + i, rank);
	}
	cr_assert(period_find(tokens, count, &period));
	return period.length;
}

Test(period_limits, what_is_done_now_and_then_is_no_step)
{
	cr_expect(eq(u32, length_with(0, TOKEN_READ), 19));
	cr_expect(eq(u32, length_with(2, TOKEN_READ), 19)); /* 2 of 40 */
	cr_expect(eq(u32, length_with(2, TOKEN_SYNC), 19));
	cr_expect(eq(u32, length_with(3, TOKEN_READ), 41)); /* 3 of 41 */
	/* work is never done now and then */
	cr_expect(eq(u32, length_with(2, TOKEN_LAUNCH), 40));
	cr_expect(eq(u32, length_with(2, TOKEN_UPLOAD), 40));
}

/* Steps of so many launches of one or two kernels, each ended by a call of another kind. */
static struct period period_of_many(unsigned launches, unsigned kernels, enum token_rank last)
{
	struct period period = {0};
	count = 0;
	while (count + launches + 1 < MOST) {
		for (unsigned i = 0; i < launches; i++)
			add(1 + i % kernels, TOKEN_LAUNCH);
		if (last != TOKEN_LAUNCH)
			add(9, last);
	}
	cr_assert(period_find(tokens, count, &period));
	return period;
}

Test(period_limits, a_kernel_in_a_loop_is_no_step_where_the_loop_ends)
{
	static const enum token_rank ranks[] = {TOKEN_READ, TOKEN_SYNC, TOKEN_UPLOAD};
	for (unsigned i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		for (unsigned kernels = 1; kernels <= 2; kernels++) {
			struct period period = period_of_many(200, kernels, ranks[i]);
			cr_expect(eq(u32, period.length, 201));
			cr_expect(eq(u64, period.anchor, token(9, ranks[i])));
			cr_expect(not(period.doubtful));
		}
}

Test(period_limits, a_kernel_in_a_loop_without_an_end_is_doubtful)
{
	cr_expect(period_of_many(200, 1, TOKEN_LAUNCH).doubtful);
	cr_expect(period_of_many(200, 2, TOKEN_LAUNCH).doubtful);
	cr_expect(not(period_of_many(200, 5, TOKEN_LAUNCH).doubtful));
}

/* Rounds that end with a wait; in some of them one kernel is another variant of the same. */
Test(period_limits, a_variant_of_a_kernel_makes_no_longer_step)
{
	struct period period;
	static const unsigned variants[] = {101, 102, 103, 102};
	for (unsigned round = 0; round < 40; round++) {
		for (unsigned i = 0; i < 38; i++)
			add(1 + i, TOKEN_LAUNCH);
		add(variants[round % 4], TOKEN_LAUNCH);
		add(50, TOKEN_SYNC);
	}
	cr_assert(period_find(tokens, count, &period));
	cr_expect(eq(u32, period.length, 40));
	cr_expect(eq(u64, period.anchor, token(50, TOKEN_SYNC)));
	cr_expect(not(period.doubtful));
	/* rounds that differ by more are parts of a step */
	count = 0;
	for (unsigned round = 0; round < 40; round++) {
		for (unsigned i = 0; i < 39; i++)
			add(1 + i + (i < 8 ? 100 * (round % 2) : 0), TOKEN_LAUNCH);
		add(50, TOKEN_SYNC);
	}
	cr_assert(period_find(tokens, count, &period));
	cr_expect(eq(u32, period.length, 80));
}

/* A copy whose size is another each time is the best of a period, and in no other one. */
Test(period_limits, what_comes_once_ends_no_step)
{
	struct period period;
	for (unsigned repeat = 0; repeat < 12; repeat++) {
		for (unsigned i = 0; i < 30; i++)
			add(1 + i, TOKEN_LAUNCH);
		add(200 + repeat, TOKEN_UPLOAD);
		add(60, TOKEN_READ);
	}
	cr_assert(period_find(tokens, count, &period));
	cr_expect(eq(u32, period.length, 32));
	cr_expect(eq(u64, period.anchor, token(60, TOKEN_READ)));
}

/* A solver with an upload for every ten rounds, or a loop that uploads now and then: who knows. */
Test(period_limits, a_rare_upload_leaves_a_doubt)
{
	struct period period;
	for (unsigned repeat = 0; repeat < 6; repeat++) {
		add(70, TOKEN_UPLOAD);
		for (unsigned i = 0; i < 200; i++)
			add(1 + i % 20, TOKEN_LAUNCH);
	}
	cr_assert(period_find(tokens, count, &period));
	cr_expect(eq(u32, period.length, 201));
	cr_expect(period.doubtful);
}
