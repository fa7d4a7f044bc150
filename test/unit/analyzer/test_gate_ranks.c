/* SPDX-License-Identifier: MIT */
/* Runs of several ranks: what a baseline says of each, and what fails on some of them alone. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/gate/every.h"
#include "analyzer/gate/text/baseline_text.h"
#include "collector/base/err.h"

#define HEAD                                                                                       \
	"# libtrace-baseline/1\nrun program = a.py\nrun framework = torch\nrun world_size = 3\n"   \
	"run runs = 1\nrun steps = 30\n"
#define READ "site syncs | a.py | main | aten::item | x.item()"

static struct summary_total totals[] = {{"launches", 300, 10}};
static struct summary_site reads[] = {{.kind = "sync",
	.source = "x.item()",
	.count = 30,
	.most_count = 1,
	.place = {.path = "a.py",
		.below = true,
		.line = 12,
		.function = "main",
		.op = "aten::item"}}};

static struct summary rank_run(int64_t rank, bool reading)
{
	struct summary run = {.program = "a.py",
		.framework = "torch",
		.world_size = 3,
		.ranks = 3,
		.rank = rank,
		.steps = 30,
		.p10_ns = SUMMARY_UNKNOWN};
	run.totals.items = totals;
	run.totals.count = 1;
	run.sites.items = reads;
	run.sites.count = reading;
	return run;
}

/* A run of three ranks, of which bits of reading tell which have the line. */
static struct summary job(struct summary others[2], unsigned reading)
{
	struct summary run = rank_run(0, (reading & 1) != 0);
	others[0] = rank_run(1, (reading & 2) != 0);
	others[1] = rank_run(2, (reading & 4) != 0);
	run.others.items = others;
	run.others.count = 2;
	return run;
}

static struct baseline read_again(const struct summary *run, char *text, size_t size)
{
	struct baseline made, baseline;
	struct baseline_problem problem;
	struct out out;
	cr_assert(eq(int, baseline_of(&made, run, 1), 0));
	cr_assert(eq(int, out_open_memory(&out), 0));
	baseline_write(&made, &out);
	cr_assert(lt(sz, out.used, size));
	memcpy(text, out.buffer, out.used);
	text[out.used] = '\0';
	cr_assert(eq(int, baseline_read(&baseline, text, out.used, &problem), 0), "%s", text);
	(void)out_close(&out);
	baseline_release(&made);
	return baseline;
}

struct on_ranks {
	unsigned was, is; /* ranks that have the line */
	const char *ranks;
	size_t failures;
};

static const struct on_ranks on_ranks[] = {
	{0, 0, NULL, 0},
	{7, 7, NULL, 0},
	{1, 1, NULL, 0},
	{6, 6, NULL, 0},
	{0, 7, "", 1},
	{7, 0, "", 1},
	{0, 2, "1", 1},
	{0, 5, "0, 2", 1},
	{1, 7, "1-2", 1},
	{1, 0, "0", 1},
	{6, 0, "1-2", 1},
};

static void hold_ranks(const struct on_ranks *about)
{
	char text[4096];
	struct summary was_others[2], is_others[2];
	struct summary was = job(was_others, about->was), is = job(is_others, about->is);
	struct baseline baseline = read_again(&was, text, sizeof(text));
	struct gate_result result = {0};
	cr_assert(eq(int, every_count(&result, &baseline, &is, 1), 0));
	cr_assert(
		eq(sz, result.failures.count, about->failures), "%u to %u", about->was, about->is);
	if (about->failures > 0)
		cr_assert(eq(str, result.failures.items[0].ranks, (char *)about->ranks));
	gate_release(&result);
	baseline_release(&baseline);
}

Test(gate_ranks, each_rank_is_held_against_its_own_rows)
{
	for (size_t i = 0; i < sizeof(on_ranks) / sizeof(on_ranks[0]); i++)
		hold_ranks(&on_ranks[i]);
}

Test(gate_ranks, only_what_others_do_differently_is_written)
{
	char text[4096];
	struct summary others[2], run = job(others, 1);
	struct baseline baseline = read_again(&run, text, sizeof(text));
	cr_assert(ne(ptr, strstr(text, "\nrun ranks = 0-2\n"), NULL));
	cr_assert(ne(ptr, strstr(text, "\nrank 1-2 " READ " = 0/30\n# end\n"), NULL), "%s", text);
	cr_assert(eq(sz, baseline.others.count, 2));
	cr_assert(eq(sz, baseline.others.items[1].rows.count, 1));
	baseline_release(&baseline);
}

Test(gate_ranks, one_with_other_steps_has_all_its_rows)
{
	char text[4096];
	struct summary others[2], run = job(others, 7);
	struct gate_result result = {0};
	others[1].steps = 15;
	others[1].sites.count = 0;
	struct baseline baseline = read_again(&run, text, sizeof(text));
	cr_assert(
		ne(ptr, strstr(text, "\nrank 2 steps = 15\nrank 2 total launches = 300/15"), NULL),
		"%s", text);
	cr_assert(eq(int, every_count(&result, &baseline, &run, 1), 0));
	cr_assert(eq(sz, result.failures.count, 0));
	gate_release(&result);
	baseline_release(&baseline);
}

Test(gate_ranks, other_ranks_are_refused)
{
	char text[4096], why[160];
	struct summary others[2], run = job(others, 7);
	struct baseline baseline = read_again(&run, text, sizeof(text));
	cr_assert(zero(ptr, (void *)every_refuses(&baseline, &run, why, sizeof(why))));
	run.others.count = 1;
	cr_assert(not(zero(ptr, (void *)every_refuses(&baseline, &run, why, sizeof(why)))));
	run.others.count = 2;
	others[1].rank = 5;
	cr_assert(not(zero(ptr, (void *)every_refuses(&baseline, &run, why, sizeof(why)))));
	/* a file of one rank is judged as that rank */
	cr_assert(zero(ptr, (void *)every_refuses(&baseline, &others[0], why, sizeof(why))));
	baseline_release(&baseline);
}

Test(gate_ranks, a_baseline_of_one_judges_one_and_says_so)
{
	struct baseline baseline;
	struct summary others[2], run = job(others, 6), alone = rank_run(0, false);
	struct gate_result result = {0};
	cr_assert(eq(int, baseline_of(&baseline, &alone, 1), 0));
	cr_assert(eq(int, every_count(&result, &baseline, &run, 1), 0));
	cr_assert(eq(sz, result.failures.count, 0));
	cr_assert(eq(sz, result.remarks.count, 1));
	cr_assert(ne(ptr, strstr(result.remarks.items[0].text, "none of the other 2"), NULL));
	gate_release(&result);
	baseline_release(&baseline);
}

static const char *const wrong_ranks[] = {
	"run ranks = 1 0\n",
	"run ranks = 0-\n",
	"run ranks = 0-99999999\n",
	"run ranks = \n",
	"run ranks = 0-2\nrun ranks = 0-2\n",
	"run ranks = 0-2\nrank 3 total syncs = 1/30\n",
	"run ranks = 0-2\nrank 0 total syncs = 1/30\n",
	"rank 1 total syncs = 1/30\n",
	"run ranks = 0-2\nrank 1 total syncs = 1/30\nrank 1-2 total syncs = 2/30\n",
	"run ranks = 0-2\nrank 1 steps = 0\n",
	"run ranks = 0-2\nrank 1 steps = 15\nrank 1 steps = 15\n",
	"run ranks = 0-2\nrank 1 colours = 1/30\n",
	"run ranks = 0-2\nrank x total syncs = 1/30\n",
};

Test(gate_ranks, wrong_lines_are_refused)
{
	for (size_t i = 0; i < sizeof(wrong_ranks) / sizeof(wrong_ranks[0]); i++) {
		char text[1024];
		struct baseline baseline;
		struct baseline_problem problem = {0};
		int size = snprintf(
			text, sizeof(text), HEAD "total syncs = 30/30\n%s# end\n", wrong_ranks[i]);
		cr_expect(eq(int, baseline_read(&baseline, text, (size_t)size, &problem),
				  -ERR_BAD_VALUE),
			"%s", wrong_ranks[i]);
		baseline_release(&baseline);
	}
}
