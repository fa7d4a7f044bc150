/* SPDX-License-Identifier: MIT */
/* Samples of the stack wait for the account and are counted where it says that code ran. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/timeline/code.h"
#include "test/unit/analyzer/model_calls.h"

static const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
static struct code code;

static void begin(void)
{
	code = (struct code){.spots = spots_new(), .lookup = &lookup};
	cr_assert(code.spots != NULL);
}

static void end(void)
{
	spots_free(code.spots);
	code_release(&code);
}

TestSuite(code, .init = begin, .fini = end);

static struct spot *spot_at(uint32_t place)
{
	return spots_find(code.spots, &lookup, place, 0, SPOT_CODE);
}

static uint64_t samples_at(uint32_t place, uint64_t step)
{
	uint64_t found[SPOT_FINDING_COUNT];
	series_sum(&spot_at(place)->found, step, step + 1, found);
	return found[SPOT_SAMPLES];
}

Test(code, counts_what_lies_in_the_time_of_a_step)
{
	for (uint64_t at = 100; at < 1000; at += 100)
		cr_assert(zero(int,
			code_add(&code, (struct code_sample){at, at < 500 ? 4 : 5, 0, false})));
	code_charge(&code, 200, 400, 0, 0); /* 200, 300: the end is not in it */
	code_charge(&code, 400, 401, 0, 1);
	code_charge(&code, 600, 800, 0, 1);
	cr_assert(eq(u64, samples_at(4, 0), 2));
	cr_assert(eq(u64, samples_at(4, 1), 1));
	cr_assert(eq(u64, samples_at(5, 1), 2));
	cr_assert(eq(
		sz, code.samples.count, 1)); /* and the last one, behind which another may come */
	cr_assert(eq(u64, code.held.at_ns, 900));
}

Test(code, steps_that_are_not_wanted_count_nothing)
{
	cr_assert(zero(int, code_add(&code, (struct code_sample){100, 4, 0, false})));
	code_charge(&code, 0, 1000, 0, CODE_NO_STEP);
	cr_assert(zero(u64, samples_at(4, 0)));
	cr_assert(zero(sz, code.samples.count));
}

Test(code, of_too_many_the_oldest_are_given_up)
{
	for (uint64_t at = 0; at < 3 * CODE_WAITING; at++)
		cr_assert(zero(int, code_add(&code, (struct code_sample){at, 4, 0, false})));
	cr_assert(le(sz, code.samples.count, CODE_WAITING));
	code_charge(&code, 3 * CODE_WAITING - 10, UINT64_MAX, 0, 0);
	cr_assert(eq(u64, samples_at(4, 0), 10));
}

Test(code, the_stack_of_most_samples_is_kept)
{
	const uint32_t stacks[] = {7, 8, 8, 9, 8, 8, 7, 8};
	for (uint64_t i = 0; i < 8; i++)
		cr_assert(zero(int, code_add(&code, (struct code_sample){i, 4, stacks[i], false})));
	code_charge(&code, 0, 100, 0, 0);
	cr_assert(eq(u32, spot_at(4)->stack, 8));
}

/* Some come before the account says so, some after that. */
Test(code, samples_in_what_is_no_step_are_told_apart)
{
	cr_assert(zero(int, code_add(&code, (struct code_sample){100, 4, 0, false})));
	code_charge(&code, 0, 200, 0, 1);
	code_cut(&code, CUT_STEP);
	cr_assert(zero(int, code_add(&code, (struct code_sample){300, 4, 0, false})));
	code_charge(&code, 200, 600, 0, 2);
	spots_cut(code.spots, 2, CUT_ASIDE, true);
	code_cut(&code, CUT_ASIDE);
	code_charge(&code, 600, 900, 0, 2);
	cr_assert(zero(int, code_add(&code, (struct code_sample){400, 4, 0, false})));
	cr_assert(zero(int, code_add(&code, (struct code_sample){700, 5, 0, false})));
	code_charge(&code, 900, 901, 0, CODE_NO_STEP); /* behind the last one none comes */
	cr_expect(eq(u32, spot_at(4)->aside, 2));
	cr_expect(eq(u64, samples_at(4, 1), 1));
	cr_expect(zero(u64, samples_at(4, 2)));
	cr_expect(zero(u32, spot_at(5)->aside));
	cr_expect(eq(u64, samples_at(5, 2), 1));
	code_cut(&code, CUT_BROKEN); /* with all that was put aside before */
	cr_assert(zero(int, code_add(&code, (struct code_sample){800, 5, 0, false})));
	cr_assert(zero(int, code_add(&code, (struct code_sample){500, 5, 0, false})));
	code_charge(&code, 901, 902, 0, CODE_NO_STEP);
	cr_expect(eq(u64, samples_at(5, 2), 1), "of a step that is not known");
	cr_expect(eq(u32, spot_at(5)->aside, 1));
}

/* Of one look at all threads; either order, also of those that come late. */
Test(code, a_thread_that_is_waited_for_speaks_for_the_one_that_waits)
{
	for (unsigned late = 0; late < 2; late++) {
		if (late == 1) {
			end();
			begin();
			code_charge(&code, 0, 100 * CODE_LOOK_NS, 0, 0);
		}
		for (uint64_t look = 1; look <= 20; look++) {
			uint64_t at = 2 * look * CODE_LOOK_NS;
			bool alone = look > 15, first = look % 2 == 0;
			cr_assert(zero(int,
				code_add(&code, (struct code_sample){at, first && !alone ? 5 : 4, 0,
							first && !alone})));
			if (!alone)
				cr_assert(zero(
					int, code_add(&code, (struct code_sample){at + 500,
								     first ? 4 : 5, 0, !first})));
		}
		cr_assert(zero(int,
			code_add(&code, (struct code_sample){99 * CODE_LOOK_NS, 4, 0, false})));
		if (late == 0)
			code_charge(&code, 0, 98 * CODE_LOOK_NS, 0, 0);
		cr_expect(eq(u64, samples_at(5, 0), 15));
		cr_expect(eq(u64, samples_at(4, 0), 5));
	}
}

/* What is sampled while a batch is made is no code of the step. */
Test(code, batches_are_counted_apart)
{
	for (uint64_t at = 100; at < 500; at += 100)
		cr_assert(zero(int, code_add(&code, (struct code_sample){at, 4, 0, false})));
	code_charge(&code, 100, 300, CODE_MAKING, 0);
	code_charge(&code, 300, 500, 0, 0);
	cr_assert(zero(int, code_add(&code, (struct code_sample){250, 4, 0, false}))); /* late */
	code_charge(&code, 600, 700, 0, 0);
	uint64_t found[SPOT_FINDING_COUNT];
	series_sum(&spots_find(code.spots, &lookup, 4, 0, SPOT_MAKING)->found, 0, 1, found);
	cr_assert(eq(u64, found[SPOT_SAMPLES], 3));
	cr_assert(eq(u64, samples_at(4, 0), 2));
}
