/* SPDX-License-Identifier: MIT */
/*
 * Looks at a run with every rule of rules.def and adds a finding for each that fits:
 * where, what it costs, what its removal would gain. README.md says how to add a rule.
 */
#ifndef ANALYZER_REPORT_RULES_APPLY_H
#define ANALYZER_REPORT_RULES_APPLY_H

#include "analyzer/report/rules/rule.h"

/*
 * Fill findings, most gain first, and predicted_ns. There must be steady steps. choices: NULL for
 * all rules as they are.
 */
void rules_apply(struct report *report, const struct rule_choices *choices);

#endif
