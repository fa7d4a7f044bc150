/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/every.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/gate/judge.h"
#include "analyzer/gate/severity.h"

/* One rank of every run; owns the list, not what it points to. */
struct same_rank {
	struct summary *runs;
	size_t count;
};

static int choose(struct same_rank *same, const struct summary *runs, size_t count, size_t index)
{
	*same = (struct same_rank){calloc(count, sizeof(*runs)), count};
	for (size_t i = 0; same->runs != NULL && i < count; i++)
		same->runs[i] = *summary_rank(&runs[i], index);
	return same->runs != NULL ? 0 : -ENOMEM;
}

const char *every_refuses(
	const struct baseline *baseline, const struct summary *run, char *buffer, size_t size)
{
	if (baseline->rank < 0)
		return NULL;
	if ((run->whole || run->others.count > 0) && run->others.count != baseline->others.count) {
		(void)snprintf(buffer, size, "ranks recorded: %zu, in the baseline: %zu",
			run->others.count + 1, baseline->others.count + 1);
		return buffer;
	}
	for (size_t i = 0; i <= run->others.count; i++)
		if (baseline_rank(baseline, summary_rank(run, i)->rank) == NULL) {
			(void)snprintf(buffer, size, "the baseline has no rank %" PRId64,
				summary_rank(run, i)->rank);
			return buffer;
		}
	return NULL;
}

static bool same_failure(const struct gate_failure *a, const struct gate_failure *b)
{
	return a->kind == b->kind && strcmp(a->key, b->key) == 0 && strcmp(a->was, b->was) == 0 &&
	       strcmp(a->is, b->is) == 0 && a->place.line == b->place.line;
}

static int add_failure(
	gate_failures *failures, size_t before, const struct gate_failure *failure, int64_t rank)
{
	for (size_t i = 0; i < before; i++)
		if (same_failure(&failures->items[i], failure)) {
			gate_on_rank(&failures->items[i], rank);
			return 0;
		}
	struct gate_failure own = *failure;
	gate_on_rank(&own, rank);
	return vec_push(failures, own);
}

static int add_remark(struct gate_result *result, const char *text)
{
	VEC_FOREACH (remark, &result->remarks)
		if (strcmp(remark->text, text) == 0)
			return 0;
	return gate_remark(result, "%s", text);
}

/* Those of one rank are not the same as each other: each is looked for in those before. */
static int add_failures(gate_failures *failures, const gate_failures *own, int64_t rank)
{
	size_t before = failures->count;
	int err = 0;
	for (size_t i = 0; i < own->count && err == 0; i++)
		err = add_failure(failures, before, &own->items[i], rank);
	return err;
}

static int merge(struct gate_result *result, const struct gate_result *own, int64_t rank)
{
	int err = add_failures(&result->failures, &own->failures, rank);
	if (err == 0)
		err = add_failures(&result->totals, &own->totals, rank);
	for (size_t i = 0; i < own->remarks.count && err == 0; i++)
		err = add_remark(result, own->remarks.items[i].text);
	result->rows += own->rows;
	result->varying += own->varying;
	return err;
}

/* What is so on all ranks needs no word about them. */
static void forget_all(gate_failures *failures, size_t ranks)
{
	VEC_FOREACH (failure, failures)
		if (failure->rank_count == ranks)
			failure->ranks[0] = '\0';
}

/* Either against a baseline, or the words that findings must not be. */
struct question {
	const struct baseline *baseline;
	const char *const *words;
	size_t word_count;
};

static int judge_rank(
	struct gate_result *result, const struct question *question, const struct same_rank *same)
{
	const struct baseline *baseline = question->baseline;
	if (baseline == NULL)
		return severity_judge(
			result, question->words, question->word_count, same->runs, same->count);
	return judge_counts(
		result, baseline_rank(baseline, same->runs[0].rank), same->runs, same->count);
}

static int ask(struct gate_result *result, const struct question *question,
	const struct summary *runs, size_t count)
{
	size_t ranks = 1 + runs[0].others.count;
	struct gate_result all = {0};
	int err = 0;
	for (size_t i = 0; i < ranks && err == 0; i++) {
		struct gate_result own = {0};
		struct same_rank same;
		err = choose(&same, runs, count, i);
		if (err == 0)
			err = judge_rank(&own, question, &same);
		if (err == 0)
			err = merge(&all, &own, same.runs[0].rank);
		gate_release(&own);
		free(same.runs);
	}
	forget_all(&all.failures, ranks);
	forget_all(&all.totals, ranks);
	VEC_FOREACH (failure, &all.failures)
		err = err < 0 ? err : gate_fail(result, failure);
	VEC_FOREACH (total, &all.totals)
		err = err < 0 ? err : vec_push(&result->totals, *total);
	VEC_FOREACH (remark, &all.remarks)
		err = err < 0 ? err : gate_remark(result, "%s", remark->text);
	result->rows += all.rows;
	result->varying += all.varying;
	gate_release(&all);
	return err;
}

int every_count(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, size_t count)
{
	const struct question question = {.baseline = baseline};
	if (baseline->rank >= 0 && baseline->others.count > 0 && runs[0].others.count == 0 &&
		gate_remark(result, "rank %" PRId64 " alone is judged, the baseline has %zu ranks",
			runs[0].rank, baseline->others.count + 1) < 0)
		return -ENOMEM;
	if (baseline->rank >= 0 || runs[0].others.count == 0)
		return ask(result, &question, runs, count);
	int err = judge_counts(result, baseline, runs, count);
	return err < 0 ? err
		       : gate_remark(result,
				 "the baseline is of one rank, so rank %" PRId64
				 " is judged and none of the other %zu; write it again from the "
				 "run's folder to have all of them judged",
				 runs[0].rank, runs[0].others.count);
}

int every_budget(struct gate_result *result, const budget_list *budgets, const struct summary *runs,
	size_t count, const char **ret_name)
{
	VEC(struct summary) all = {0};
	int err = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k <= runs[i].others.count && err == 0; k++)
			err = vec_push(&all, *summary_rank(&runs[i], k));
	if (err == 0)
		err = budget_judge(result, budgets, all.items, all.count, ret_name);
	vec_release(&all);
	return err;
}

int every_finding(struct gate_result *result, const char *const *words, size_t word_count,
	const struct summary *runs, size_t count)
{
	const struct question question = {.words = words, .word_count = word_count};
	return ask(result, &question, runs, count);
}
