/* SPDX-License-Identifier: MIT */
/*
 * What the user wants to be taken away, "without=NAME,line=FILE:LINE": the findings of a rule,
 * all that a cause of the account stands for, or what a line waits for and copies; and the answer,
 * which is worked out as the gain of a finding is.
 */
#ifndef ANALYZER_REPORT_ASK_H
#define ANALYZER_REPORT_ASK_H

#include "analyzer/report/rules/rule.h"

struct rule_ask {
	const char *text; /* as written; belongs to the caller */
	unsigned rule;    /* RULE_ID_COUNT: none */
	unsigned cause;   /* CAUSE_COUNT: none */
	const char *file; /* within the text; NULL: anywhere */
	size_t file_length;
	uint64_t line;
};

/* 0, -ERR_UNKNOWN_NAME (no such rule or cause), or -ERR_BAD_VALUE. */
int rule_ask_parse(const char *text, struct rule_ask *ret_ask);

/* Answer all, and all of them together if there are several. After the findings. */
void rules_answer(struct report *report, const struct rule_ask *asks, size_t count);

#endif
