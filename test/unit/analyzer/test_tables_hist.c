/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/tables/sums/busy.h"
#include "analyzer/tables/sums/hist.h"
#include "analyzer/tables/tables.h"

static uint64_t seed = 42;

static uint64_t random_number(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 33;
}

static int ascending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static void expect_near(uint64_t value, uint64_t exact, const char *what)
{
	double off = exact > value ? (double)(exact - value) : (double)(value - exact);
	cr_expect(off <= TABLES_ERROR * (double)exact, "%s: %llu, exactly %llu", what,
		(unsigned long long)value, (unsigned long long)exact);
}

/* Compare with the sorted values. */
static void check_against_sort(uint64_t *values, size_t count)
{
	static const double percents[] = {1, 25, 50, 75, 90, 95, 99, 100};
	struct tables_hist hist = {0};
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		cr_assert(eq(int, tables_hist_add(&hist, values[i]), 0));
		sum += values[i];
	}
	qsort(values, count, sizeof(*values), ascending);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		size_t rank = (size_t)(percents[i] * (double)count / 100 + 0.999999);
		rank = rank > 0 ? rank : 1;
		expect_near(
			tables_hist_percentile(&hist, percents[i]), values[rank - 1], "percentile");
	}
	cr_expect(eq(u64, hist.count, count));
	cr_expect(eq(u64, hist.sum, sum));
	cr_expect(eq(u64, hist.min, values[0]));
	cr_expect(eq(u64, hist.max, values[count - 1]));
	long double mean = (long double)sum / (long double)count, squares = 0;
	for (size_t i = 0; i < count; i++)
		squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
	long double variance = squares / (long double)count;
	long double deviation = (long double)tables_hist_deviation(&hist);
	cr_expect(variance <= (deviation + 1) * (deviation + 1));
	cr_expect(deviation < 1 || variance >= (deviation - 1) * (deviation - 1));
	tables_hist_release(&hist);
}

Test(tables_hist, percentiles_are_those_of_a_sort)
{
	enum {
		COUNT = 20000
	};
	static uint64_t values[COUNT];
	for (unsigned bits = 1; bits <= 42; bits++) {
		for (size_t i = 0; i < COUNT; i++)
			values[i] =
				(random_number() << 20 ^ random_number()) & ((1ull << bits) - 1);
		check_against_sort(values, COUNT);
	}
	/* two humps far apart, and few values */
	for (size_t i = 0; i < COUNT; i++)
		values[i] = i % 10 == 0 ? 50000000 + random_number() % 1000
					: 2000 + random_number() % 300;
	check_against_sort(values, COUNT);
	for (size_t count = 1; count <= 9; count++) {
		for (size_t i = 0; i < count; i++)
			values[i] = random_number() % 100000;
		check_against_sort(values, count);
	}
}

Test(tables_hist, small_values_are_exact_and_the_largest_fits)
{
	struct tables_hist hist = {0};
	for (uint64_t value = 0; value < 128; value++)
		cr_assert(eq(int, tables_hist_add(&hist, value), 0));
	for (unsigned percent = 1; percent <= 100; percent++)
		cr_expect(eq(u64, tables_hist_percentile(&hist, percent),
			(percent * 128 + 99) / 100 - 1));
	tables_hist_release(&hist);
	cr_assert(eq(int, tables_hist_add(&hist, UINT64_MAX), 0));
	cr_expect(eq(u64, tables_hist_percentile(&hist, 50), UINT64_MAX));
	tables_hist_release(&hist);
}

Test(tables_hist, a_full_bin_halves_all)
{
	struct tables_hist hist = {0};
	for (unsigned i = 0; i < 300; i++)
		cr_assert(eq(int, tables_hist_add(&hist, 10 + i % 3), 0));
	hist.chunks[0][10] = UINT32_MAX - 1;
	hist.chunks[0][11] = UINT32_MAX / 2;
	cr_assert(eq(int, tables_hist_add(&hist, 10), 0));
	cr_expect(eq(u32, hist.chunks[0][10], 1u << 31));
	cr_expect(eq(u64, tables_hist_percentile(&hist, 60), 10));
	cr_expect(eq(u64, tables_hist_percentile(&hist, 75), 11));
	cr_expect(eq(u64, hist.count, 301));
	tables_hist_release(&hist);
}

Test(tables_hist, merged_is_as_if_added_to_one)
{
	struct tables_hist one = {0}, left = {0}, right = {0};
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t value = random_number() % (i % 2 == 0 ? 100 : 10000000);
		cr_assert(eq(int, tables_hist_add(&one, value), 0));
		cr_assert(eq(int, tables_hist_add(i % 3 == 0 ? &left : &right, value), 0));
	}
	cr_assert(eq(int, tables_hist_merge(&left, &right), 0));
	for (unsigned percent = 1; percent < 100; percent++)
		cr_expect(eq(u64, tables_hist_percentile(&left, percent),
			tables_hist_percentile(&one, percent)));
	cr_expect(eq(u64, left.sum, one.sum));
	cr_expect(eq(u64, left.min, one.min));
	cr_expect(eq(u64, left.max, one.max));
	cr_expect(eq(u64, tables_hist_deviation(&left), tables_hist_deviation(&one)));
	tables_hist_release(&one);
	tables_hist_release(&left);
	tables_hist_release(&right);
}

/* The union by marking every nanosecond. */
static uint64_t union_of(const struct tables_stretch *parts, size_t count, uint64_t end_ns)
{
	uint8_t *seen = calloc(1, end_ns);
	uint64_t length = 0;
	cr_assert(seen != NULL);
	for (size_t i = 0; i < count; i++)
		memset(seen + parts[i].begin_ns, 1, parts[i].end_ns - parts[i].begin_ns);
	for (uint64_t ns = 0; ns < end_ns; ns++)
		length += seen[ns];
	free(seen);
	return length;
}

Test(tables_busy, union_out_of_order_is_exact_within_the_window)
{
	enum {
		COUNT = 20000,
		NEAR = 300
	};
	static struct tables_stretch parts[COUNT];
	for (unsigned round = 1; round <= 5; round++) {
		struct tables_busy busy = {0};
		for (size_t i = 0; i < COUNT; i++) {
			uint64_t begin_ns = i * 20 + random_number() % 40;
			parts[i] = (struct tables_stretch){
				begin_ns, begin_ns + random_number() % (12 * round)};
		}
		for (size_t i = 0; i < COUNT; i++) { /* shuffle those that are near */
			size_t other = i + random_number() % NEAR;
			struct tables_stretch part = parts[i];
			if (other >= COUNT)
				continue;
			parts[i] = parts[other];
			parts[other] = part;
		}
		/* what was moved far back is left out: it may lie behind the window */
		size_t kept = 0;
		uint64_t last_ns = 0;
		for (size_t i = 0; i < COUNT; i++) {
			if (parts[i].begin_ns + (uint64_t)NEAR * 20 < last_ns)
				continue;
			last_ns = parts[i].begin_ns > last_ns ? parts[i].begin_ns : last_ns;
			parts[kept++] = parts[i];
		}
		for (size_t i = 0; i < kept; i++)
			cr_assert(eq(int,
				tables_busy_add(&busy, parts[i].begin_ns, parts[i].end_ns), 0));
		cr_expect(gt(sz, kept, COUNT / 2));
		cr_expect(eq(u64, tables_busy_ns(&busy), union_of(parts, kept, COUNT * 20 + 200)));
		cr_expect(eq(u64, busy.late_ns, 0));
		cr_expect(lt(sz, busy.stretches.count, TABLES_BUSY_WINDOW));
		tables_busy_release(&busy);
	}
}

Test(tables_busy, what_comes_too_late_is_counted_as_late)
{
	struct tables_busy busy = {0};
	for (uint64_t i = 0; i < 2 * TABLES_BUSY_WINDOW; i++)
		cr_assert(eq(int, tables_busy_add(&busy, i * 10, i * 10 + 5), 0));
	uint64_t before = tables_busy_ns(&busy);
	cr_assert(eq(u64, before, 2 * TABLES_BUSY_WINDOW * 5));
	cr_assert(eq(int, tables_busy_add(&busy, 105, 110), 0));
	cr_expect(eq(u64, tables_busy_ns(&busy), before));
	cr_expect(eq(u64, busy.late_ns, 5));
	cr_assert(eq(int, tables_busy_add(&busy, 7, 7), 0));
	cr_assert(eq(int, tables_busy_add(&busy, 9, 3), 0));
	cr_expect(eq(u64, busy.late_ns, 5));
	tables_busy_release(&busy);
}
