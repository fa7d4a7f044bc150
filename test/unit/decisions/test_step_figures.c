/* SPDX-License-Identifier: MIT */
/*
 * Figures of steps, each worked out by hand: which steps are warm-up, and what the rest gives.
 * Rules: the first step is warm-up, of 30 and more the first ten are, and so is what follows
 * while a step takes more than twice the upper median of all but the first.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/steps/figures.h"

#define START 1000u

/* A step whose work the device has done when its calls end. */
static void step(struct steps *steps, uint64_t ns)
{
	cr_assert(steps_cut(steps, ns));
	steps_end(steps, ns, 0);
}

/* count steps of length ns each; a case is a list of such runs, ended by count 0. */
struct run {
	unsigned count;
	uint64_t ns;
};

static struct steps *steps_of(const struct run *runs)
{
	struct steps *steps = malloc(sizeof(*steps));
	uint64_t now = START;
	cr_assert(steps != NULL);
	steps_init(steps, now);
	for (; runs->count > 0; runs++)
		for (unsigned i = 0; i < runs->count; i++)
			step(steps, now += runs->ns);
	return steps;
}

static struct steps_summary summary_of(const struct run *runs)
{
	struct steps_summary summary;
	struct steps *steps = steps_of(runs);
	steps_summarise(steps, &summary);
	free(steps);
	return summary;
}

Test(step_figures, warm_up)
{
	static const struct {
		const char *name;
		struct run runs[6];
		uint64_t count, warmup, steady;
	} cases[] = {
		{"one step is no steady one", {{1, 10}}, 1, 1, 0},
		{"two steps", {{2, 10}}, 2, 1, 1},
		{"29 steps", {{29, 10}}, 29, 1, 28},
		{"30 steps", {{30, 10}}, 30, 10, 20},
		{"31 steps", {{31, 10}}, 31, 10, 21},
		{"a second step of twice the median counts", {{1, 90}, {1, 20}, {8, 10}}, 10, 1, 9},
		{"one of more does not", {{1, 90}, {1, 21}, {8, 10}}, 10, 2, 8},
		{"slow ones that come later count", {{1, 90}, {1, 10}, {3, 99}, {9, 10}}, 14, 1,
			13},
		{"after ten of thirty as well", {{10, 10}, {2, 21}, {20, 10}}, 32, 12, 20},
		{"the first is left out of the median", {{1, 90}, {1, 50}, {2, 10}}, 4, 2, 2},
		{"all but the last are slow", {{3, 50}, {4, 10}}, 7, 3, 4},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct steps_summary summary = summary_of(cases[i].runs);
		cr_expect(eq(u64, summary.count, cases[i].count), "%s", cases[i].name);
		cr_expect(eq(u64, summary.warmup, cases[i].warmup), "%s", cases[i].name);
		cr_expect(eq(u64, summary.steady, cases[i].steady), "%s", cases[i].name);
		cr_expect(eq(u64, summary.first, cases[i].warmup), "%s", cases[i].name);
		cr_expect(eq(u64, summary.until, cases[i].count), "%s", cases[i].name);
	}
}

Test(step_figures, of_the_steady_steps)
{
	static const struct {
		const char *name;
		struct run runs[6];
		uint64_t total, mean, median, p95, min, max;
		double spread;
	} cases[] = {
		{"one", {{1, 99}, {1, 10}}, 10, 10, 10, 10, 10, 10, 0},
		{"an even number: the mean of the two in the middle",
			{{1, 99}, {1, 10}, {1, 13}, {1, 15}, {1, 18}}, 56, 14, 14, 15, 10, 18,
			4.0 / 14},
		{"an odd number: the one in the middle", {{1, 99}, {1, 10}, {1, 13}, {1, 18}}, 41,
			13, 13, 13, 10, 18, 3.0 / 13},
		{"an outlier moves the mean only", {{1, 99}, {8, 10}, {1, 200}}, 280, 31, 10, 10,
			10, 200, 0},
		/* the 19th of 20, the 20th of 21 */
		{"p95 of 20", {{1, 99}, {18, 10}, {1, 15}, {1, 20}}, 215, 10, 10, 15, 10, 20, 0},
		{"p95 of 21", {{1, 99}, {19, 10}, {1, 15}, {1, 20}}, 225, 10, 10, 15, 10, 20, 0},
		{"p95 of 22", {{1, 99}, {20, 10}, {1, 15}, {1, 20}}, 235, 10, 10, 10, 10, 20, 0},
		{"more than are kept one by one", {{40, 10}, {30, 12}, {20, 14}}, 940, 11, 12, 14,
			10, 14, 1.0 / 6},
		{"the shortest and the longest are late ones", {{32, 10}, {1, 3}, {1, 50}, {1, 10}},
			283, 11, 10, 10, 3, 50, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct steps_summary summary = summary_of(cases[i].runs);
		cr_expect(eq(u64, summary.total_ns, cases[i].total), "%s", cases[i].name);
		cr_expect(eq(u64, summary.mean_ns, cases[i].mean), "%s", cases[i].name);
		cr_expect(eq(u64, summary.median_ns, cases[i].median), "%s", cases[i].name);
		cr_expect(eq(u64, summary.p95_ns, cases[i].p95), "%s", cases[i].name);
		cr_expect(eq(u64, summary.min_ns, cases[i].min), "%s", cases[i].name);
		cr_expect(eq(u64, summary.max_ns, cases[i].max), "%s", cases[i].name);
		cr_expect(ieee_ulp_eq(dbl, summary.spread, cases[i].spread, 4), "%s: %g",
			cases[i].name, summary.spread);
	}
}

/* Every second sample goes when there are too many; sums, minimum and maximum stay exact. */
Test(step_figures, of_more_steps_than_are_kept)
{
	/* the shortest and the longest are none of the samples */
	const struct run runs[] = {{1, 7}, {31, 10}, {STEPS_SAMPLES, 10}, {STEPS_SAMPLES + 1, 20},
		{1, 1}, {1, 90}, {STEPS_SAMPLES, 20}, {0, 0}};
	struct steps *steps = steps_of(runs);
	struct steps_summary summary;
	cr_expect(eq(u32, steps->stride, 4));
	cr_expect(eq(u32, steps->sample_count, (3 * STEPS_SAMPLES + 3 + 3) / 4));
	steps_summarise(steps, &summary);
	cr_expect(eq(u64, summary.count, 32 + 3ull * STEPS_SAMPLES + 3));
	cr_expect(eq(u64, summary.steady, 22 + 3ull * STEPS_SAMPLES + 3));
	cr_expect(eq(u64, summary.total_ns, 220 + 50ull * STEPS_SAMPLES + 20 + 1 + 90));
	cr_expect(eq(u64, summary.median_ns, 20));
	cr_expect(eq(u64, summary.min_ns, 1));
	cr_expect(eq(u64, summary.max_ns, 90));
	free(steps);
}

Test(step_figures, a_cut_without_time_is_none)
{
	struct steps *steps = steps_of((const struct run[]){{3, 10}, {0, 0}});
	cr_expect(not(steps_cut(steps, START + 30)));
	cr_expect(not(steps_cut(steps, START + 29)));
	cr_expect(eq(u64, steps->count, 3));
	step(steps, START + 31);
	cr_expect(eq(u64, steps->early[3], 1));
	free(steps);
}

static bool odd_or_late(const void *context, uint64_t step)
{
	(void)context;
	return step % 2 != 0 || step >= 40;
}

Test(step_figures, of_the_steps_that_were_asked_for)
{
	struct steps *steps = malloc(sizeof(*steps));
	struct steps_summary summary;
	uint64_t now = START;
	cr_assert(steps != NULL);
	steps_init(steps, now);
	steps->selected = odd_or_late;
	/* step 0 is never steady; 1, 3 ... 39 and 40, 41 are asked for */
	for (uint64_t i = 0; i < 42; i++)
		step(steps, now += i % 2 != 0 ? 10 : 50);
	steps_summarise(steps, &summary);
	cr_expect(eq(u64, summary.count, 42));
	cr_expect(eq(u64, summary.warmup, 1));
	cr_expect(eq(u64, summary.steady, 22));
	cr_expect(eq(u64, summary.total_ns, 21 * 10 + 50));
	cr_expect(eq(u64, summary.median_ns, 10));
	cr_expect(eq(u64, summary.max_ns, 50));
	cr_expect(eq(u64, steps_wanted_ns(steps, now + 5), 21 * 10 + 50 + 5));
	cr_expect(eq(u64, steps_wanted_ns(steps, now), 21 * 10 + 50));
	free(steps);
}

Test(step_figures, a_better_mark_starts_again_at_the_beginning)
{
	struct steps *steps = steps_of((const struct run[]){{5, 10}, {0, 0}});
	steps->selected = odd_or_late;
	steps_restart(steps, STEP_BY_MARK, START);
	cr_expect(eq(u64, steps->count, 0));
	cr_expect(eq(u64, steps->begin_ns, START));
	cr_expect(eq(int, steps->method, STEP_BY_MARK));
	cr_expect(steps->selected == odd_or_late);
	cr_expect(eq(u64, steps->late_min_ns, UINT64_MAX));
	free(steps);
}

Test(step_figures, a_series_that_is_not_used_is_all_0)
{
	struct series series;
	uint64_t sums[2] = {7, 7};
	series_init_unused(&series, 2);
	series_cut(&series, 0, CUT_PART);
	series_reset(&series);
	series_finish(&series, true);
	series_sum(&series, 0, 36, sums);
	cr_expect(sums[0] == 0 && sums[1] == 0);
	sums[0] = sums[1] = 7;
	series_most(&series, 0, 36, sums);
	cr_expect(sums[0] == 0 && sums[1] == 0);
	cr_assert(eq(int, series_use(&series), 0));
	series_at(&series, 3)[1] += 5;
	cr_assert(eq(int, series_use(&series), 0)); /* has memory: nothing changes */
	series_sum(&series, 0, 36, sums);
	cr_expect(eq(u64, sums[1], 5));
	series_release(&series);
}

/* Step n adds 1 << n to the first value and 1 to the second, for 36 steps. */
Test(step_figures, sums_of_a_series_leave_out_what_is_not_asked_for)
{
	static const struct {
		uint64_t first, until, sum, count;
	} cases[] = {
		{0, 36, (1ull << 36) - 1, 36},
		{1, 36, (1ull << 36) - 2, 35},
		{10, 36, (1ull << 36) - (1ull << 10), 26},
		{0, 35, (1ull << 35) - 1, 35}, /* the running one was not cut */
		{0, 32, (1ull << 32) - 1, 32},
		{0, 31, (1ull << 31) - 1, 31},
		{5, 5, 0, 0},
		{0, 1, 1, 1},
	};
	struct series series;
	uint64_t sums[2];
	cr_assert(eq(int, series_init(&series, 2), 0));
	for (uint64_t step = 0; step < 36; step++) {
		series_at(&series, step)[0] += 1ull << step;
		series_at(&series, step)[1] += 1;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		series_sum(&series, cases[i].first, cases[i].until, sums);
		cr_expect(eq(u64, sums[0], cases[i].sum), "case %zu", i);
		cr_expect(eq(u64, sums[1], cases[i].count), "case %zu", i);
	}
	series_at(&series, 33)[1] += 100; /* a smaller one counts for the running one */
	series_sum(&series, 0, 36, sums);
	cr_expect(eq(u64, sums[1], 136));
	series_sum(&series, 0, 35, sums);
	cr_expect(eq(u64, sums[1], 35));
	series_reset(&series);
	series_sum(&series, 0, 36, sums);
	cr_expect(eq(u64, sums[1], 0));
	series_release(&series);
}

/* Step number 40 has most, the running one is number 50, each tenth has some. */
Test(step_figures, the_most_of_one_step_is_of_those_that_are_asked_for)
{
	static const struct {
		uint64_t first, until, most;
	} cases[] = {{0, 51, 7}, {0, 50, 7}, {0, 32, 4}, {0, 30, 3}, {21, 31, 4}, {21, 30, 1},
		{31, 51, 7}, {0, 0, 0}};
	struct series series;
	uint64_t most;
	cr_assert(eq(int, series_init(&series, 1), 0));
	for (uint64_t step = 0; step <= 50; step++)
		for (uint64_t i = 0; i < (step == 40 ? 7 : step % 10 == 0 ? 1 + step / 10 : 1); i++)
			series_at(&series, step)[0] += 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		series_most(&series, cases[i].first, cases[i].until, &most);
		cr_expect(eq(u64, most, cases[i].most), "case %zu", i);
	}
	series_at(&series, 50)[0] += 5;
	series_most(&series, 0, 51, &most);
	cr_expect(eq(u64, most, 11));
	series_most(&series, 0, 50, &most);
	cr_expect(eq(u64, most, 7));
	series_release(&series);
}

static struct steps *ten_steps(void)
{
	return steps_of((const struct run[]){{10, 10}, {0, 0}});
}

Test(step_figures, what_lies_between_steps_is_none_of_them)
{
	struct steps *steps = ten_steps();
	struct steps_summary summary;
	uint32_t phase = phases_find(&steps->phases, PHASE_EVALUATION, 7);
	cr_expect(steps_pass(steps, START + 150));
	steps_put(steps, CUT_ASIDE, phase, START + 150, 0);
	step(steps, START + 160);
	steps_summarise(steps, &summary);
	cr_expect(eq(u64, summary.steady, 10));
	cr_expect(eq(u64, summary.mean_ns, 10));
	cr_expect(eq(u64, summary.max_ns, 10));
	cr_expect(eq(u64, steps->phases.items[0].ns, 50));
	cr_expect(eq(u64, steps->phases.items[0].count, 1));
	cr_expect(eq(u64, steps->phases.items[0].steps[0], 10));
	free(steps);
}

Test(step_figures, parts_of_a_step_are_added_up)
{
	struct steps *steps = ten_steps();
	struct steps_summary summary;
	steps_put(steps, CUT_PART, 0, START + 104, 0);
	steps_put(steps, CUT_ASIDE, 0, START + 154, 0);
	step(steps, START + 160);
	cr_expect(eq(u64, steps->early[10], 10));
	/* the last one never ends: what is known of it counts for the last step */
	steps_put(steps, CUT_PART, 0, START + 160 + 7, 0);
	steps_put(steps, CUT_TAIL, 0, START + 190 + 7, 0);
	steps_summarise(steps, &summary);
	cr_expect(eq(u64, summary.steady, 10));
	cr_expect(eq(u64, summary.total_ns, 100 + 7 + 30));
	cr_expect(steps_tail_counts(steps));
	/* unless all of it is put aside */
	steps_put(steps, CUT_ASIDE_ALL, 0, START + 210, 0);
	steps_summarise(steps, &summary);
	cr_expect(eq(u64, summary.total_ns, 100));
	cr_expect(eq(u64, steps->phases.items[0].ns, 50 + 50));
	free(steps);
}

/* Each fifth step is followed by 9 more: those before the first or behind the last one count. */
Test(step_figures, what_follows_the_last_step_is_not_counted_beside_what_precedes_the_first)
{
	static const struct {
		struct run runs[5];
		bool counts;
	} cases[] = {
		{{{10, 10}, {1, 19}, {4, 10}, {1, 19}, {14, 10}}, false},
		{{{11, 10}, {1, 10}, {3, 10}, {1, 19}, {14, 10}}, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run runs[6] = {0};
		memcpy(runs, cases[i].runs, sizeof(cases[i].runs));
		struct steps *steps = steps_of(runs);
		steps_put(steps, CUT_TAIL, 0, steps->begin_ns + 9, 0);
		cr_expect(eq(int, steps_tail_counts(steps), cases[i].counts), "%zu", i);
		free(steps);
	}
}

Test(step_figures, a_broken_step_has_a_number_and_no_length)
{
	for (unsigned before = 10; before <= 40; before += 30) {
		struct steps *steps = steps_of((const struct run[]){{before, 10}, {0, 0}});
		struct steps_summary summary;
		uint64_t now = START + 10 * before;
		cr_expect(steps_cut(steps, now + 500));
		steps_put(steps, CUT_BROKEN, 0, now + 500, 3);
		step(steps, now + 510);
		steps_summarise(steps, &summary);
		cr_expect(eq(u64, summary.count, before + 2));
		cr_expect(eq(u64, summary.steady, before + 1 - summary.warmup));
		cr_expect(eq(u64, summary.mean_ns, 10));
		cr_expect(eq(u64, summary.max_ns, 10));
		free(steps);
	}
}

Test(step_figures, p95_is_never_below_the_median)
{
	struct steps_summary summary =
		summary_of((const struct run[]){{1, 99}, {1, 10}, {1, 18}, {0, 0}});
	cr_expect(eq(u64, summary.median_ns, 14));
	cr_expect(eq(u64, summary.p95_ns, 14));
}

Test(step_figures, a_series_keeps_what_the_cuts_say)
{
	for (uint64_t at = 5; at <= 50; at += 45) { /* an early step, a late one */
		struct series series;
		uint64_t sum;
		cr_assert(eq(int, series_init(&series, 1), 0));
		series_at(&series, at - 1)[0] += 1;
		series_cut(&series, at - 1, CUT_STEP);
		series_at(&series, at)[0] += 10;
		series_cut(&series, at, CUT_PART);
		series_at(&series, at)[0] += 100;
		series_cut(&series, at, CUT_ASIDE);
		series_at(&series, at)[0] += 1000;
		series_cut(&series, at, CUT_STEP);
		series_at(&series, at + 1)[0] += 10000;
		series_cut(&series, at + 1, CUT_BROKEN);
		series_at(&series, at + 2)[0] += 100000;
		series_cut(&series, at + 2, CUT_PART);
		series_at(&series, at + 2)[0] += 1000000;
		series_cut(&series, at + 2, CUT_TAIL);
		series_finish(&series, true);
		series_sum(&series, 0, at + 2, &sum);
		cr_expect(eq(u64, sum, 1 + 10 + 1000 + 100000 + 1000000));
		series_finish(&series, false);
		series_sum(&series, 0, at + 2, &sum);
		cr_expect(eq(u64, sum, 1 + 10 + 1000));
		series_release(&series);
	}
}
