/* SPDX-License-Identifier: MIT */
/* Rows of runs that are not of as many steps, and lines that are elsewhere now. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/gate/judge.h"
#include "analyzer/gate/text/baseline_text.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct summary_site site_in(
	const char *path, const char *function, const char *source, uint64_t count)
{
	struct summary_site site = {.kind = "sync",
		.source = source,
		.count = count,
		.place = {.below = true, .line = 7, .function = function, .op = "aten::item"}};
	(void)snprintf(site.place.path, sizeof(site.place.path), "%s", path);
	return site;
}

static struct summary_total total = {"graph_launches", 0, 0};

static struct summary run_of(struct summary_site *sites, size_t count, uint64_t steps)
{
	struct summary run = {.program = "a.py",
		.framework = "torch",
		.world_size = 1,
		.steps = steps,
		.p10_ns = SUMMARY_UNKNOWN};
	run.totals.items = &total;
	run.totals.count = 1;
	run.sites.items = sites;
	run.sites.count = count;
	return run;
}

/* A run held against a baseline, which was written and read again in between. */
static struct gate_result held(
	const struct summary *base, size_t base_count, const struct summary *run)
{
	struct gate_result result = {0};
	struct baseline made, baseline;
	struct baseline_problem problem;
	struct out out;
	cr_assert(eq(int, baseline_of(&made, base, base_count), 0));
	cr_assert(eq(int, out_open_memory(&out), 0));
	baseline_write(&made, &out);
	cr_assert(eq(int, baseline_read(&baseline, out.buffer, out.used, &problem), 0), "%s",
		problem.text);
	(void)out_close(&out);
	cr_assert(eq(int, judge_counts(&result, &baseline, run, 1), 0));
	baseline_release(&made);
	baseline_release(&baseline);
	return result;
}

static size_t failures(struct summary_site *was, size_t was_count, uint64_t was_steps,
	struct summary_site *is, size_t is_count, uint64_t is_steps)
{
	struct summary base = run_of(was, was_count, was_steps),
		       run = run_of(is, is_count, is_steps);
	struct gate_result result = held(&base, 1, &run);
	size_t count = result.failures.count;
	gate_release(&result);
	return count;
}

/* A value of so many bytes that is read every so many steps from the tenth on. */
static struct summary_site seldom(uint64_t steps, uint64_t every, uint64_t calls, uint64_t bytes)
{
	uint64_t times = (10 + steps - 1) / every - 9 / every;
	struct summary_site site = site_in("a.py", "main", "x.item()", times * calls);
	site.most_count = times > 0 ? calls : 0;
	site.bytes = times * calls * bytes;
	site.most_bytes = times > 0 ? calls * bytes : 0;
	return site;
}

Test(gate_steps, what_comes_seldom_is_the_same_whatever_the_number_of_steps)
{
	const uint64_t steps[] = {10, 20, 23, 37, 90, 110, 199}, every[] = {3, 10, 25, 50, 100};
	const uint64_t calls[] = {1, 6, 40};
	for (size_t i = 0; i < COUNT(steps); i++)
		for (size_t k = 0; k < COUNT(steps); k++)
			for (size_t e = 0; e < COUNT(every); e++)
				for (size_t c = 0; c < COUNT(calls); c++) {
					struct summary_site was =
						seldom(steps[i], every[e], calls[c], 4096);
					struct summary_site is =
						seldom(steps[k], every[e], calls[c], 4096);
					cr_expect(zero(sz, failures(&was, 1, steps[i], &is, 1,
								   steps[k])),
						"every %d steps %d times: %d steps and %d",
						(int)every[e], (int)calls[c], (int)steps[i],
						(int)steps[k]);
				}
}

Test(gate_steps, more_bytes_in_each_step_are_found)
{
	struct summary_site was = site_in("a.py", "main", "x.cpu()", 20),
			    is = site_in("a.py", "main", "x.cpu()", 33);
	was.most_count = is.most_count = 1;
	was.bytes = 20 * 4096;
	was.most_bytes = 4096;
	is.bytes = 33 * 4100;
	is.most_bytes = 4100;
	cr_assert(eq(sz, failures(&was, 1, 20, &is, 1, 33), 1));
	is.bytes = 33 * 4096;
	is.most_bytes = 4096;
	cr_assert(eq(sz, failures(&was, 1, 20, &is, 1, 33), 0));
}

Test(gate_steps, what_comes_more_often_is_found)
{
	struct summary_site was = seldom(40, 10, 1, 4), is = seldom(90, 4, 1, 4);
	cr_assert(eq(sz, failures(&was, 1, 40, &is, 1, 90), 1));
	is = seldom(90, 10, 6, 4);
	cr_assert(eq(sz, failures(&was, 1, 40, &is, 1, 90), 1));
}

Test(gate_steps, a_line_that_was_not_there_is_found)
{
	struct summary_site is = seldom(40, 10, 1, 4);
	cr_assert(eq(sz, failures(NULL, 0, 20, &is, 1, 40), 1));
}

Test(gate_moved, another_function_or_file_is_no_other_line)
{
	struct summary_site was[] = {site_in("a.py", "main", "x.item()", 30),
		site_in("a.py", "main", "y.item()", 3), site_in("a.py", "log", "print(z)", 60)};
	struct summary_site renamed[] = {site_in("a.py", "train", "x.item()", 30),
		site_in("a.py", "train", "y.item()", 3), site_in("a.py", "log", "print(z)", 60)};
	struct summary_site moved[] = {site_in("src/a.py", "main", "x.item()", 30),
		site_in("src/a.py", "main", "y.item()", 3), site_in("b.py", "log", "print(z)", 60)};
	cr_assert(eq(sz, failures(was, 3, 30, renamed, 3, 30), 0));
	cr_assert(eq(sz, failures(was, 3, 30, moved, 3, 30), 0));
	moved[1].count = 6;
	cr_assert(eq(sz, failures(was, 3, 30, moved, 3, 30), 1));
}

Test(gate_moved, the_same_text_twice_is_two_lines)
{
	struct summary_site was[] = {site_in("a.py", "first", "x.item()", 30),
		site_in("a.py", "second", "x.item()", 60)};
	struct summary_site is[] = {site_in("b.py", "second", "x.item()", 60),
		site_in("b.py", "first", "x.item()", 30), site_in("b.py", "third", "x.item()", 90)};
	struct summary base = run_of(was, 2, 30), run = run_of(is, 3, 30);
	struct gate_result result = held(&base, 1, &run);
	cr_assert(eq(sz, result.failures.count, 1));
	cr_assert(eq(str, result.failures.items[0].is, "3"));
	cr_assert(eq(str, (char *)result.failures.items[0].place.function, "third"));
	gate_release(&result);
}

Test(gate_moved, a_line_beside_one_that_varies_and_was_changed_is_found)
{
	struct summary_site one[] = {site_in("a.py", "main", "x.item()", 30)},
			    two[] = {site_in("a.py", "main", "x.item()", 31)};
	struct summary_site edited[] = {site_in("a.py", "main", "x[0].item()", 33)};
	struct summary_site more[] = {site_in("a.py", "main", "x[0].item()", 33),
		site_in("a.py", "main", "y.item()", 30)};
	struct summary base[] = {run_of(one, 1, 30), run_of(two, 1, 30)};
	struct summary run = run_of(edited, 1, 30);
	struct gate_result result = held(base, 2, &run);
	cr_assert(eq(sz, result.failures.count, 0));
	gate_release(&result);
	run = run_of(more, 2, 30);
	result = held(base, 2, &run);
	cr_assert(eq(sz, result.failures.count, 2));
	gate_release(&result);
}
