/* SPDX-License-Identifier: MIT */
/*
 * Limits that need no baseline: "max syncs = 0/step", "min gpu_busy = 80". A budget is for a count
 * per step (any total of a summary) or for a number of the report (gpu_busy, reader and host in
 * percent, step_ms). It fails when one of the runs is beyond it.
 */
#ifndef ANALYZER_GATE_BUDGET_H
#define ANALYZER_GATE_BUDGET_H

#include "analyzer/gate/result.h"

struct budget {
	char name[64];
	bool most; /* else it is the least */
	double value;
};
typedef VEC(struct budget) budget_list;

/*
 * "NAME=VALUE", "NAME=VALUE/step", blanks around the sign; a dot in a name is an underscore. 0,
 * -ERR_BAD_VALUE or -ENOMEM.
 */
int budget_add(budget_list *budgets, bool most, const char *text, size_t size);

/* A file of lines "max NAME = VALUE", "min ..."; # begins a remark. *ret_line: the wrong one. */
int budget_read(budget_list *budgets, const char *text, size_t size, uint64_t *ret_line);

/*
 * The failures of count runs. 0, -ENOMEM, or -ERR_UNKNOWN_NAME: *ret_name is no number of a run;
 * -ERR_BAD_VALUE: the run does not know that number.
 */
int budget_judge(struct gate_result *result, const budget_list *budgets, const struct summary *runs,
	size_t count, const char **ret_name);

#endif
