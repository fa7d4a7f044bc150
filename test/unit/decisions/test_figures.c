/* SPDX-License-Identifier: MIT */
/* Figures of the tables by hand: how they are rounded, what a row holds, what does not fit. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/tables/sums/busy.h"
#include "analyzer/tables/sums/hist.h"
#include "analyzer/tables/tables.h"
#include "analyzer/tables/view.h"
#include "test/unit/analyzer/tables_names.h"

static struct tables *tables;

static void begin(void)
{
	tables = tables_new();
	cr_assert(tables != NULL);
}

static void end(void)
{
	tables_free(tables);
}

TestSuite(figures, .init = begin, .fini = end);

/* A cell by the name of its column; rows are those of the view. */
static struct tables_cell cell(enum tables_id id, size_t row, const char *column)
{
	struct tables_view view;
	struct tables_source source = names_source(tables);
	struct tables_cell found = {.number = 12345678};
	cr_assert(eq(int, tables_view_init(&view, &source, id), 0));
	cr_assert(lt(sz, row, view.rows));
	for (size_t i = 0; i < view.column_count; i++)
		if (strcmp(view.columns[i].name, column) == 0)
			found = *tables_cell(&view, row, i);
	tables_view_release(&view);
	cr_assert(ne(u64, found.number, 12345678), "no column %s", column);
	return found;
}

static size_t rows(enum tables_id id)
{
	struct tables_view view;
	struct tables_source source = names_source(tables);
	cr_assert(eq(int, tables_view_init(&view, &source, id), 0));
	size_t count = view.rows;
	tables_view_release(&view);
	return count;
}

static void add_call(uint16_t function, uint64_t ns)
{
	const struct record record = {
		.kind = RECORD_LAUNCH, .call = function, .begin = 1000, .end = 1000 + ns};
	cr_assert(eq(int, tables_call(tables, &record), 0));
}

Test(figures, of_few_numbers)
{
	static const struct {
		const char *name;
		uint64_t values[6];
		unsigned count;
		uint64_t mean, median, p95, p99, min, max, deviation;
	} cases[] = {
		{"one", {7}, 1, 7, 7, 7, 7, 7, 7, 0},
		/*
		 * 1.5 is rounded up; of two the lower one is the median; sqrt(0.25) is rounded
		 * up
		 */
		{"two", {1, 2}, 2, 2, 1, 2, 2, 1, 2, 1},
		{"three: 4 and a third", {1, 2, 10}, 3, 4, 2, 10, 10, 1, 10, 4},
		{"four: 4.75", {1, 2, 6, 10}, 4, 5, 2, 10, 10, 1, 10, 4},
		{"equal ones", {5, 5, 5, 5, 5, 5}, 6, 5, 5, 5, 5, 5, 5, 0},
		{"zeros", {0, 0, 0}, 3, 0, 0, 0, 0, 0, 0, 0},
		{"an outlier", {10, 10, 10, 10, 10, 100}, 6, 25, 10, 100, 100, 10, 100, 34},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tables_hist hist = {0};
		for (unsigned j = 0; j < cases[i].count; j++)
			cr_assert(eq(int, tables_hist_add(&hist, cases[i].values[j]), 0));
		const char *name = cases[i].name;
		cr_expect(eq(u64, tables_hist_mean(&hist), cases[i].mean), "%s", name);
		cr_expect(eq(u64, tables_hist_percentile(&hist, 50), cases[i].median), "%s", name);
		cr_expect(eq(u64, tables_hist_percentile(&hist, 95), cases[i].p95), "%s", name);
		cr_expect(eq(u64, tables_hist_percentile(&hist, 99), cases[i].p99), "%s", name);
		cr_expect(eq(u64, hist.min, cases[i].min), "%s", name);
		cr_expect(eq(u64, hist.max, cases[i].max), "%s", name);
		cr_expect(eq(u64, tables_hist_deviation(&hist), cases[i].deviation), "%s", name);
		tables_hist_release(&hist);
	}
}

Test(figures, shares_are_rounded_to_the_nearest_tenth)
{
	add_call(1, 1);
	add_call(2, 2);
	cr_expect(eq(u64, cell(TABLES_API_CALLS, 0, "time_pct").number, 667));
	cr_expect(eq(u64, cell(TABLES_API_CALLS, 1, "time_pct").number, 333));
	add_call(3, 1997); /* 1 of 2000 is half a tenth */
	cr_expect(eq(u64, cell(TABLES_API_CALLS, 2, "time_pct").number, 1));
	cr_expect(eq(u64, cell(TABLES_API_CALLS, 0, "time_pct").number, 999));
}

Test(figures, rows_come_by_time_then_name_and_the_rest_last)
{
	const uint32_t limit = 1024;
	for (uint32_t i = 0; i < 3000; i++) {
		const struct record kernel = {.kind = RECORD_DEVICE_KERNEL,
			.name = NAMES_MANY + i,
			.begin = 10 * i,
			.end = 10 * i + 1 + (i < limit ? i : 5)};
		cr_assert(eq(int, tables_device(tables, &kernel), 0));
	}
	cr_assert(eq(sz, rows(TABLES_KERNELS), limit + 1));
	cr_expect(eq(str, (char *)cell(TABLES_KERNELS, limit, "name").text, "others"));
	cr_expect(eq(u64, cell(TABLES_KERNELS, limit, "count").number, 3000 - limit));
	cr_expect(eq(u64, cell(TABLES_KERNELS, limit, "total_ns").number, 6 * (3000 - limit)));
	/* the longest first */
	for (uint32_t i = 0; i < limit; i += 100)
		cr_expect(eq(u64, cell(TABLES_KERNELS, i, "total_ns").number, limit - i));
}

Test(figures, an_answer_is_no_failure)
{
	static const struct {
		const char *name;
		int32_t result;
		uint32_t flags;
		size_t failures;
	} cases[] = {
		{"success", 0, 0, 0},
		{"not ready", 600, RECORD_NOT_READY, 0},
		{"not ready, as CUDA 10.0 says it", 34, RECORD_NOT_READY, 0},
		{"not ready, of a call that is not known to ask", 600, 0, 0},
		{"out of memory", 2, 0, 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct record record = {.kind = RECORD_EVENT,
			.call = NAMES_QUERY,
			.result = cases[i].result,
			.d = cases[i].flags,
			.end = 5};
		cr_assert(eq(int, tables_call(tables, &record), 0));
		cr_expect(
			eq(sz, rows(TABLES_FAILED_CALLS), cases[i].failures), "%s", cases[i].name);
	}
}

/* The union and how many stretches it has, after each interval. */
Test(figures, of_what_was_busy)
{
	static const struct {
		uint64_t begin, end, busy;
		size_t stretches;
	} steps[] = {
		{10, 20, 10, 1},
		{30, 40, 20, 2},
		{30, 40, 20, 2}, /* the same again */
		{35, 45, 25, 2}, /* on from the latest */
		{20, 25, 30, 2}, /* touches the first */
		{5, 10, 35, 2},  /* on its other side */
		{27, 28, 36, 3},
		{0, 3, 39, 4},
		{25, 30, 43, 2}, /* closes two gaps */
		{12, 13, 43, 2},
		{50, 50, 43, 2}, /* nothing */
		{60, 55, 43, 2},
		{0, 60, 60, 1},
	};
	struct tables_busy busy = {0};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		cr_assert(eq(int, tables_busy_add(&busy, steps[i].begin, steps[i].end), 0));
		cr_expect(eq(u64, tables_busy_ns(&busy), steps[i].busy), "interval %zu", i);
		cr_expect(eq(sz, busy.stretches.count, steps[i].stretches), "interval %zu", i);
	}
	cr_expect(eq(u64, busy.late_ns, 0));
	tables_busy_release(&busy);
}
