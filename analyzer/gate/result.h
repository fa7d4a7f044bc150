/* SPDX-License-Identifier: MIT */
/*
 * What a check came to: the rows that failed, what they were held against, and remarks. Filled by
 * judge.h, budget.h and severity.h, printed by print.h. Owns its texts, but for places' functions
 * and operators, which are a summary's. Not thread-safe; an all-zero result is empty.
 */
#ifndef ANALYZER_GATE_RESULT_H
#define ANALYZER_GATE_RESULT_H

#include "analyzer/gate/row.h"
#include "analyzer/gate/times.h"

#define GATE_NUMBER 48u
#define GATE_TEXT   640u

enum gate_kind {
	GATE_COUNT,   /* is not what the baseline says */
	GATE_BUDGET,  /* is beyond a budget */
	GATE_TIME,    /* is slower */
	GATE_FINDING, /* is a finding of a severity or rule that must not be */
	GATE_KIND_COUNT
};
extern const char *const gate_kind_names[GATE_KIND_COUNT];

struct gate_failure {
	enum gate_kind kind;
	char what[96];              /* syncs; of a finding its rule */
	struct summary_place place; /* path "": the run as a whole */
	char was[GATE_NUMBER], is[GATE_NUMBER];
	char key[ROW_KEY];       /* the same as long as it is the same failure */
	char text[GATE_TEXT];    /* what else there is to say, or "" */
	char ranks[GATE_NUMBER]; /* on which ranks alone it is so: "1", "0, 2-3"; "": on all */
	int64_t last_rank;
	size_t rank_count;
};
typedef VEC(struct gate_failure) gate_failures;

struct gate_remark {
	char text[GATE_TEXT];
};

struct gate_result {
	const char *program;
	uint64_t runs, rows, varying; /* judged rows; that differ between runs */
	gate_failures failures;
	gate_failures totals; /* that failed because of the sites among the failures */
	VEC(struct gate_remark) remarks;
	bool timed;
	struct times_result times;
};

void gate_release(struct gate_result *result);

/* 0 or -ENOMEM. */
int gate_fail(struct gate_result *result, const struct gate_failure *failure);
int gate_remark(struct gate_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* It is so on that rank, too; ranks come in order. */
void gate_on_rank(struct gate_failure *failure, int64_t rank);

/* "1 per step", "3 in 30 steps", "0", into buffer; returns it. */
const char *gate_rate(uint64_t total, uint64_t steps, char buffer[GATE_NUMBER]);

#endif
