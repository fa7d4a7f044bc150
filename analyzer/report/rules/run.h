/* SPDX-License-Identifier: MIT */
/*
 * The run as a whole as a subject of rules that tell what should be known: no place, no numbers and
 * no evidence, which each rule writes itself (row.h).
 */
#ifndef ANALYZER_REPORT_RULES_RUN_H
#define ANALYZER_REPORT_RULES_RUN_H

#include "analyzer/report/rules/row.h"

void run_describe(const struct subject *subject, struct finding *finding);

#endif
