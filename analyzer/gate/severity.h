/* SPDX-License-Identifier: MIT */
/*
 * Findings that must not be: of a severity and above, or of a rule. One fails when every run has it
 * (the same rule in the same function).
 */
#ifndef ANALYZER_GATE_SEVERITY_H
#define ANALYZER_GATE_SEVERITY_H

#include "analyzer/gate/result.h"

/* "high", "medium", "low", "info" or "rule=NAME" is what severity_judge() takes. */
bool severity_is(const char *word);

/* The rule that such a word names; NULL: it is a severity. */
const char *severity_rule(const char *word);

/* 0 or -ENOMEM. */
int severity_judge(struct gate_result *result, const char *const *words, size_t word_count,
	const struct summary *runs, size_t count);

#endif
