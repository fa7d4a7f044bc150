/* SPDX-License-Identifier: MIT */
/* Ranks against published tables, and the gate on times against made-up runs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "analyzer/gate/times.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Test(times, ranks_agree_with_the_tables)
{
	/* Mann and Whitney 1947: of 5 + 5 the tails of U are 1, 2 and 4 of 252 */
	const uint64_t low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10};
	const uint64_t one_back[] = {1, 2, 3, 4, 6}, one_low[] = {5, 7, 8, 9, 10};
	const uint64_t two_back[] = {1, 2, 3, 5, 6}, two_low[] = {4, 7, 8, 9, 10};
	cr_assert(lt(dbl, fabs(times_mann_whitney(low, 5, high, 5) - 1.0 / 252), 1e-12));
	cr_assert(lt(dbl, fabs(times_mann_whitney(one_back, 5, one_low, 5) - 2.0 / 252), 1e-12));
	cr_assert(lt(dbl, fabs(times_mann_whitney(two_back, 5, two_low, 5) - 4.0 / 252), 1e-12));
	cr_assert(lt(dbl, fabs(times_mann_whitney(high, 5, low, 5) - 1), 1e-12));
}

Test(times, samples_of_different_sizes)
{
	/* of 3 + 4 there are 35 orders; U = 12 is one of them, U >= 11 two, U >= 10 four */
	const uint64_t a[] = {1, 2, 3}, b[] = {4, 5, 6, 7};
	const uint64_t c[] = {1, 2, 4}, d[] = {3, 5, 6, 7};
	const uint64_t e[] = {1, 3, 4}, f[] = {2, 5, 6, 7};
	cr_assert(lt(dbl, fabs(times_mann_whitney(a, 3, b, 4) - 1.0 / 35), 1e-12));
	cr_assert(lt(dbl, fabs(times_mann_whitney(c, 3, d, 4) - 2.0 / 35), 1e-12));
	cr_assert(lt(dbl, fabs(times_mann_whitney(e, 3, f, 4) - 4.0 / 35), 1e-12));
}

Test(times, ties_and_large_samples_use_the_normal_law)
{
	uint64_t a[40], b[40], same[8] = {7, 7, 7, 7, 7, 7, 7, 7};
	for (unsigned i = 0; i < 40; i++) {
		a[i] = 2 * i;
		b[i] = 2 * i + 1;
	}
	/* U = 820, mean 800, deviation sqrt(1600 * 81 / 12) = 103.92: z = 0.1876, p = 0.4256 */
	cr_assert(lt(dbl, fabs(times_mann_whitney(a, 40, b, 40) - 0.4256), 1e-4));
	cr_assert(ge(dbl, times_mann_whitney(same, 4, same, 4), 0.5));
}

Test(times, a_slower_run_is_found_and_a_noisy_one_is_not)
{
	const uint64_t base[] = {1000, 1010, 1020, 1005, 1015};
	const uint64_t slower[] = {1150, 1160, 1155, 1170, 1165};
	const uint64_t noisy[] = {990, 1300, 1008, 1012, 1030};
	const uint64_t little[] = {1030, 1031, 1032, 1033, 1034};
	struct times_result result = times_judge(base, COUNT(base), slower, COUNT(slower));
	cr_assert(result.slower);
	cr_assert(lt(dbl, fabs(result.factor - 1160.0 / 1010), 1e-9));
	cr_assert(not(times_judge(base, COUNT(base), noisy, COUNT(noisy)).slower));
	/* beyond doubt, and below what is worth it */
	result = times_judge(base, COUNT(base), little, COUNT(little));
	cr_assert(le(dbl, result.p, TIMES_LEVEL));
	cr_assert(not(result.slower));
}

Test(times, what_could_have_been_seen_is_seen)
{
	const uint64_t base[] = {1000, 1100, 1050, 1200, 1010},
		       runs[] = {1005, 1090, 1060, 1190, 1020};
	struct times_result result = times_judge(base, COUNT(base), runs, COUNT(runs));
	uint64_t scaled[COUNT(runs)];
	cr_assert(not(result.slower));
	cr_assert(gt(dbl, result.least_factor, 1));
	for (size_t i = 0; i < COUNT(runs); i++)
		scaled[i] = (uint64_t)((double)runs[i] / result.factor * result.least_factor) + 1;
	cr_assert(times_judge(base, COUNT(base), scaled, COUNT(scaled)).slower);
}
