/* SPDX-License-Identifier: MIT */
/*
 * A series that takes memory as its steps come says the same as one that has it from the start,
 * whatever is added and cut, and takes little while only the first steps have values.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/steps/series.h"

#define WIDTH 3u

/* Chance that is the same each time. */
static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void compare(const struct series *some, const struct series *all)
{
	for (uint64_t count = 0; count < 70; count += 7) {
		uint64_t sums[2][WIDTH];
		for (uint64_t first = 0; first <= SERIES_EARLY; first += 4) {
			series_sum(some, first, count, sums[0]);
			series_sum(all, first, count, sums[1]);
			cr_assert(eq(int, memcmp(sums[0], sums[1], sizeof(sums[0])), 0));
			series_sum_steps(some, first, count, sums[0]);
			series_sum_steps(all, first, count, sums[1]);
			cr_assert(eq(int, memcmp(sums[0], sums[1], sizeof(sums[0])), 0));
			series_most(some, first, count, sums[0]);
			series_most(all, first, count, sums[1]);
			cr_assert(eq(int, memcmp(sums[0], sums[1], sizeof(sums[0])), 0));
		}
	}
}

Test(series, takes_memory_as_steps_come)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct series some, all;
		uint64_t state = seed, step = 0;
		series_init_unused(&some, WIDTH);
		cr_assert(eq(int, series_use(&some), 0));
		cr_assert(eq(int, series_init(&all, WIDTH), 0));
		for (unsigned i = 0; i < 200; i++) {
			uint64_t turn = next(&state) % 8, value = next(&state) % WIDTH;
			if (turn < 5) {
				series_at(&some, step)[value] += i;
				series_at(&all, step)[value] += i;
				continue;
			}
			enum step_cut cut = turn < 7 ? CUT_STEP : (enum step_cut)(next(&state) % 7);
			series_cut(&some, step, cut);
			series_cut(&all, step, cut);
			step += cut == CUT_STEP ? 1 + (seed % 4 == 0) * (next(&state) % 9) : 0;
		}
		compare(&some, &all);
		series_finish(&some, seed % 2);
		series_finish(&all, seed % 2);
		compare(&some, &all);
		series_release(&some);
		series_release(&all);
	}
}

Test(series, of_the_first_steps_is_small)
{
	struct series series, all;
	series_init_unused(&series, WIDTH);
	cr_assert(eq(int, series_init(&all, WIDTH), 0));
	cr_assert(eq(int, series_use(&series), 0));
	for (uint64_t step = 0; step < 3; step++)
		series_at(&series, step)[0]++;
	cr_expect(lt(u32, 4 * series.rows, all.rows));
	series_at(&series, 3)[0]++;
	cr_expect(eq(u32, series.rows, all.rows));
	series_release(&series);
	series_release(&all);
}
