/* SPDX-License-Identifier: MIT */
/*
 * All ranks of runs, each held against its own part of the baseline. What fails alike on all of
 * them is told once; of the rest it is told on which ranks it does. Not thread-safe.
 */
#ifndef ANALYZER_GATE_EVERY_H
#define ANALYZER_GATE_EVERY_H

#include "analyzer/gate/baseline.h"
#include "analyzer/gate/budget.h"
#include "analyzer/gate/result.h"

/* The ranks of the runs are not those of the baseline: why, into buffer; NULL: they are. */
const char *every_refuses(
	const struct baseline *baseline, const struct summary *run, char *buffer, size_t size);

/* As judge_counts(), of runs that are not refused. */
int every_count(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, size_t count);

/* As budget_judge() and severity_judge(). */
int every_budget(struct gate_result *result, const budget_list *budgets, const struct summary *runs,
	size_t count, const char **ret_name);
int every_finding(struct gate_result *result, const char *const *words, size_t word_count,
	const struct summary *runs, size_t count);

#endif
