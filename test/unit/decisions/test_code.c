/* SPDX-License-Identifier: MIT */
/* Samples of the stack wait for the account and are counted where it says that code ran. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/timeline/code.h"
#include "test/unit/analyzer/model_names.h"

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
		cr_assert(zero(int, code_add(&code, at, at < 500 ? 4 : 5, 0)));
	code_charge(&code, 200, 400, 0, 0); /* 200, 300: the end is not in it */
	code_charge(&code, 400, 401, 0, 1);
	code_charge(&code, 600, 800, 0, 1);
	cr_assert(eq(u64, samples_at(4, 0), 2));
	cr_assert(eq(u64, samples_at(4, 1), 1));
	cr_assert(eq(u64, samples_at(5, 1), 2));
	cr_assert(eq(sz, code.samples.count, 2));
}

Test(code, steps_that_are_not_wanted_count_nothing)
{
	cr_assert(zero(int, code_add(&code, 100, 4, 0)));
	code_charge(&code, 0, 1000, 0, CODE_NO_STEP);
	cr_assert(zero(u64, samples_at(4, 0)));
	cr_assert(zero(sz, code.samples.count));
}

Test(code, of_too_many_the_oldest_are_given_up)
{
	for (uint64_t at = 0; at < 3 * CODE_WAITING; at++)
		cr_assert(zero(int, code_add(&code, at, 4, 0)));
	cr_assert(le(sz, code.samples.count, CODE_WAITING));
	code_charge(&code, 3 * CODE_WAITING - 10, UINT64_MAX, 0, 0);
	cr_assert(eq(u64, samples_at(4, 0), 10));
}

Test(code, the_stack_of_most_samples_is_kept)
{
	const uint32_t stacks[] = {7, 8, 8, 9, 8, 8, 7, 8};
	for (uint64_t i = 0; i < 8; i++)
		cr_assert(zero(int, code_add(&code, i, 4, stacks[i])));
	code_charge(&code, 0, 100, 0, 0);
	cr_assert(eq(u32, spot_at(4)->stack, 8));
}
