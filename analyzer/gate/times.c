/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MOST 20u   /* runs of a side: above, the normal law is as good */
#define SCALE_MOST 4.0   /* slow-downs are looked for up to here, */
#define SCALE_STEP 1.005 /* in steps of a half percent */

struct ranked {
	double value;
	bool second;
};

static int ascending(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
	return (x > y) - (x < y);
}

/* Ways to reach each value of U with n and m samples: counted by the one that is largest. */
static double exact_tail(size_t n, size_t m, double seen)
{
	double ways[EXACT_MOST + 1][EXACT_MOST * EXACT_MOST + 1] = {{0}};
	/* coefficients of the q-binomial: partitions of u into at most m parts of at most n */
	ways[0][0] = 1;
	for (size_t part = 1; part <= n; part++)
		for (size_t used = 1; used <= m; used++)
			for (size_t u = part; u <= n * m; u++)
				ways[used][u] += ways[used - 1][u - part];
	double all = 0, tail = 0;
	for (size_t used = 0; used <= m; used++)
		for (size_t u = 0; u <= n * m; u++) {
			all += ways[used][u];
			tail += (double)u >= seen ? ways[used][u] : 0;
		}
	return tail / all;
}

static double mann_whitney(const double *a, size_t n, const double *b, size_t m)
{
	struct ranked *all = n + m > 0 ? malloc((n + m) * sizeof(*all)) : NULL;
	if (all == NULL)
		return 1;
	for (size_t i = 0; i < n + m; i++)
		all[i] = (struct ranked){i < n ? a[i] : b[i - n], i >= n};
	qsort(all, n + m, sizeof(*all), ascending);
	double sum = 0, ties = 0;
	for (size_t i = 0, next; i < n + m; i = next) {
		next = i;
		while (next < n + m && all[next].value <= all[i].value)
			next++;
		double same = (double)(next - i);
		ties += same * same * same - same;
		for (size_t k = i; k < next; k++)
			sum += all[k].second ? ((double)(i + next) + 1) / 2 : 0;
	}
	free(all);
	double nm = (double)n * (double)m, count = (double)(n + m);
	double u = sum - (double)m * ((double)m + 1) / 2;
	if (ties <= 0 && n <= EXACT_MOST && m <= EXACT_MOST)
		return exact_tail(n, m, u);
	double variance = nm / 12 * (count + 1 - ties / (count * (count - 1)));
	if (variance <= 0)
		return 1;
	return 0.5 * erfc((u - nm / 2 - 0.5) / sqrt(2 * variance));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The numbers as they are, sorted; returns their median. */
static double take(const uint64_t *values, size_t count, double *ret_values)
{
	for (size_t i = 0; i < count; i++)
		ret_values[i] = (double)values[i];
	qsort(ret_values, count, sizeof(*ret_values), by_value);
	return count % 2 != 0 ? ret_values[count / 2]
			      : (ret_values[count / 2 - 1] + ret_values[count / 2]) / 2;
}

double times_mann_whitney(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	double first[TIMES_MOST], second[TIMES_MOST];
	(void)take(a, a_count, first);
	(void)take(b, b_count, second);
	return mann_whitney(first, a_count, second, b_count);
}

/* The runs as if they were as fast as the base, then slower and slower, until that is seen. */
static double least_factor(
	const double *base, size_t n, const double *runs, size_t m, double factor)
{
	double scaled[TIMES_MOST];
	double slow = TIMES_FLOOR;
	while (slow < SCALE_MOST) {
		for (size_t i = 0; i < m; i++)
			scaled[i] = runs[i] / factor * slow;
		if (mann_whitney(base, n, scaled, m) <= TIMES_LEVEL)
			return slow;
		slow *= SCALE_STEP;
	}
	return 0;
}

struct times_result times_judge(
	const uint64_t *base, size_t base_count, const uint64_t *runs, size_t run_count)
{
	double first[TIMES_MOST], second[TIMES_MOST];
	size_t n = base_count < TIMES_MOST ? base_count : TIMES_MOST;
	size_t m = run_count < TIMES_MOST ? run_count : TIMES_MOST;
	struct times_result result = {
		.base_ns = take(base, n, first), .new_ns = take(runs, m, second)};
	result.factor = result.new_ns / result.base_ns;
	result.p = mann_whitney(first, n, second, m);
	result.slower = result.p <= TIMES_LEVEL && result.factor >= TIMES_FLOOR;
	result.least_factor = least_factor(first, n, second, m, result.factor);
	return result;
}
