/* SPDX-License-Identifier: MIT */
/* The text of a baseline, whole and damaged, and rows that are held against it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/gate/judge.h"
#include "analyzer/gate/text/baseline_text.h"
#include "collector/base/err.h"

#define HEAD                                                                                       \
	"# libtrace-baseline/1\nrun program = a.py\nrun framework = torch\nrun world_size = 1\n"   \
	"run runs = 1\nrun steps = 30\n"
#define SITE(source) "site syncs | a.py | main | aten::item | " source

static int read_text(const char *text, struct baseline *baseline, struct baseline_problem *problem)
{
	return baseline_read(baseline, text, strlen(text), problem);
}

struct wrong {
	const char *text;
	uint64_t line;
};

static const struct wrong wrong_texts[] = {
	{"", 0},
	{"# libtrace-baseline/2\n# end\n", 1},
	{HEAD "total syncs = 30/30\n", 0}, /* cut at a line */
	{HEAD "total syncs = 30/3", 0},    /* cut in one */
	{HEAD "total syncs = 30/30\nsums syncs = 1/30\n# end\n", 8},
	{HEAD "total syncs = 30/30\nrun colour = red\n# end\n", 8},
	{HEAD "total syncs = 30/30\ntotal syncs = 30/30\n# end\n", 0},
	{HEAD "total syncs = 30\n# end\n", 7},
	{HEAD "total syncs = 30/0\n# end\n", 7},
	{HEAD "total syncs = -1/30\n# end\n", 7},
	{HEAD "total syncs = 99999999999999999999/30\n# end\n", 7},
	{HEAD "site syncs | a.py = 1/30\n# end\n", 7},
	{HEAD "total syncs = 30/30\ntime p10_ns = 1 2 x\n# end\n", 8},
	{"# libtrace-baseline/1\ntotal syncs = 30/30\n# end\n", 0},
};

static void check_wrong(const struct wrong *wrong)
{
	struct baseline baseline;
	struct baseline_problem problem = {0};
	cr_assert(eq(int, read_text(wrong->text, &baseline, &problem), -ERR_BAD_VALUE));
	cr_assert(eq(u64, problem.line, wrong->line));
	cr_assert(ne(chr, problem.text[0], '\0'));
	baseline_release(&baseline);
}

Test(baseline, wrong_texts_are_refused)
{
	for (size_t i = 0; i < sizeof(wrong_texts) / sizeof(wrong_texts[0]); i++)
		check_wrong(&wrong_texts[i]);
}

static struct summary_total totals[] = {{"syncs", 60, 2}, {"launches", 300, 10}};

static struct summary_site site_at(const char *source, uint64_t line, uint64_t count)
{
	return (struct summary_site){.kind = "sync",
		.source = source,
		.count = count,
		.place = {.path = "a.py",
			.below = true,
			.line = line,
			.function = "main",
			.op = "aten::item"}};
}

static struct summary run_of(struct summary_site *sites, size_t count)
{
	struct summary run = {.program = "a.py",
		.framework = "torch",
		.world_size = 1,
		.steps = 30,
		.p10_ns = SUMMARY_UNKNOWN};
	run.totals.items = totals;
	run.totals.count = 2;
	run.sites.items = sites;
	run.sites.count = count;
	return run;
}

/* The failures of a run with these sites against one with those. */
static struct gate_result against(
	struct summary_site *was, size_t was_count, struct summary_site *is, size_t is_count)
{
	struct gate_result result = {0};
	struct baseline baseline;
	struct summary base = run_of(was, was_count), run = run_of(is, is_count);
	cr_assert(eq(int, baseline_of(&baseline, &base, 1), 0));
	cr_assert(eq(int, judge_counts(&result, &baseline, &run, 1), 0));
	baseline_release(&baseline);
	return result;
}

Test(baseline, what_is_written_is_read_again)
{
	struct summary_site sites[] = {site_at("x = y == z | w", 12, 30), site_at(NULL, 14, 3)};
	struct summary run = run_of(sites, 2);
	struct baseline first, second;
	struct baseline_problem problem;
	struct out out, again;
	cr_assert(eq(int, baseline_of(&first, &run, 1), 0));
	cr_assert(eq(int, out_open_memory(&out), 0));
	cr_assert(eq(int, out_open_memory(&again), 0));
	baseline_write(&first, &out);
	cr_assert(eq(int, baseline_read(&second, out.buffer, out.used, &problem), 0));
	baseline_write(&second, &again);
	cr_assert(eq(sz, out.used, again.used));
	cr_assert(eq(int, memcmp(out.buffer, again.buffer, out.used), 0));
	cr_assert(eq(sz, second.rows.count, 4));
	(void)out_close(&out);
	(void)out_close(&again);
	baseline_release(&first);
	baseline_release(&second);
}

Test(baseline, every_cut_is_noticed)
{
	const char text[] =
		HEAD "version torch = 2.9\n" SITE("x.item()") " = 30/30\n"
							      "total syncs = 30/30\n# end\n";
	struct baseline baseline;
	struct baseline_problem problem;
	for (size_t size = 0; size + 1 < sizeof(text) - 1; size++) {
		cr_expect(eq(int, baseline_read(&baseline, text, size, &problem), -ERR_BAD_VALUE),
			"%zu bytes", size);
		baseline_release(&baseline);
	}
	cr_assert(eq(int, baseline_read(&baseline, text, sizeof(text) - 1, &problem), 0));
	baseline_release(&baseline);
}

Test(gate, lines_that_move_are_the_same_lines)
{
	struct summary_site was[] = {site_at("a.item()", 10, 30), site_at("b.item()", 20, 30)};
	struct summary_site is[] = {site_at("b.item()", 5, 30), site_at("a.item()", 44, 30)};
	struct gate_result result = against(was, 2, is, 2);
	cr_assert(eq(sz, result.failures.count, 0));
	gate_release(&result);
}

Test(gate, a_new_line_beside_a_changed_one_is_found)
{
	struct summary_site was[] = {site_at("a.item()", 10, 30)};
	struct summary_site is[] = {
		site_at("a.detach().item()", 11, 30), site_at("b.item()", 20, 3)};
	struct gate_result result = against(was, 1, is, 2);
	cr_assert(eq(sz, result.failures.count, 1));
	cr_assert(eq(u64, result.failures.items[0].place.line, 20));
	cr_assert(eq(str, result.failures.items[0].is, "3/30"));
	gate_release(&result);
}

Test(gate, without_source_the_sum_is_held_against_the_sum)
{
	struct summary_site was[] = {site_at(NULL, 10, 60)};
	struct summary_site is[] = {site_at("a.item()", 11, 30), site_at("b.item()", 20, 30)};
	struct gate_result result = against(was, 1, is, 2);
	cr_assert(eq(sz, result.failures.count, 0));
	gate_release(&result);
	is[1].count = 33;
	result = against(was, 1, is, 2);
	cr_assert(eq(sz, result.failures.count, 1));
	cr_assert(eq(u64, result.failures.items[0].place.line, 20));
	cr_assert(ne(ptr, strstr(result.failures.items[0].text, "another of 2 lines"), NULL));
	gate_release(&result);
	/* nor does the run have the text: line 20 does most, and need not be the one */
	struct summary_site known[] = {site_at("a.item()", 11, 30)};
	is[0].source = is[1].source = NULL;
	result = against(known, 1, is, 2);
	cr_assert(eq(sz, result.failures.count, 1));
	cr_assert(ne(ptr, strstr(result.failures.items[0].text, "another of 2 lines"), NULL));
	gate_release(&result);
	/* a single one is certain */
	result = against(known, 1, &is[1], 1);
	cr_assert(eq(sz, result.failures.count, 1));
	cr_assert(zero(chr, result.failures.items[0].text[0]));
	gate_release(&result);
}

Test(gate, what_varies_between_runs_is_not_judged)
{
	struct summary_site one[] = {site_at("a.item()", 10, 30)},
			    two[] = {site_at("a.item()", 10, 31)};
	struct summary runs[] = {run_of(one, 1), run_of(two, 1)};
	struct summary third = run_of(NULL, 0);
	struct baseline baseline;
	struct gate_result result = {0};
	cr_assert(eq(int, baseline_of(&baseline, runs, 2), 0));
	cr_assert(eq(int, judge_counts(&result, &baseline, &third, 1), 0));
	cr_assert(eq(sz, result.failures.count, 0));
	gate_release(&result);
	baseline_release(&baseline);
}

Test(gate, another_program_framework_or_world_is_refused)
{
	struct summary run = run_of(NULL, 0);
	struct baseline baseline;
	char why[320];
	cr_assert(eq(int, baseline_of(&baseline, &run, 1), 0));
	cr_assert(zero(ptr, (void *)baseline_refuses(&baseline, &run, why, sizeof(why))));
	run.world_size = 2;
	cr_assert(not(zero(ptr, (void *)baseline_refuses(&baseline, &run, why, sizeof(why)))));
	run = run_of(NULL, 0);
	run.framework = NULL;
	cr_assert(not(zero(ptr, (void *)baseline_refuses(&baseline, &run, why, sizeof(why)))));
	run = run_of(NULL, 0);
	run.program = "b.py";
	cr_assert(not(zero(ptr, (void *)baseline_refuses(&baseline, &run, why, sizeof(why)))));
	baseline_release(&baseline);
}

Test(gate, steps_of_different_number_are_compared_by_rate)
{
	const struct gate_row twenty = {.total = 40, .steps = 20},
			      thirty = {.total = 60, .steps = 30};
	const struct gate_row more = {.total = 61, .steps = 30}, seldom = {.total = 2, .steps = 20};
	const struct gate_row as_seldom = {.total = 3, .steps = 29},
			      often = {.total = 9, .steps = 29};
	cr_assert(not(row_differs(&twenty, &thirty)));
	cr_assert(row_differs(&thirty, &more));
	cr_assert(not(row_differs(&seldom, &as_seldom)));
	cr_assert(row_differs(&seldom, &often));
}

Test(gate, a_hundred_thousand_sites_are_no_trouble)
{
	const size_t count = 100000;
	struct summary_site *sites = calloc(count, sizeof(*sites));
	char *texts = calloc(count, 16);
	cr_assert(sites != NULL && texts != NULL);
	for (size_t i = 0; i < count; i++) {
		(void)snprintf(texts + 16 * i, 16, "x%zu.item()", i);
		sites[i] = site_at(texts + 16 * i, i + 1, 30);
	}
	struct gate_result result = against(sites, count, sites, count - 1);
	cr_assert(eq(sz, result.failures.count, 1));
	cr_assert(eq(str, result.failures.items[0].is, "0"));
	gate_release(&result);
	free(sites);
	free(texts);
}
