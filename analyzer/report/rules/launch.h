/* SPDX-License-Identifier: MIT */
/*
 * Launching as a subject of rules: numbers, place and the usual evidence. The
 * functions of the rules are declared by their rows (row.h).
 */
#ifndef ANALYZER_REPORT_RULES_LAUNCH_H
#define ANALYZER_REPORT_RULES_LAUNCH_H

#include "analyzer/report/rules/row.h"

void launch_describe(const struct subject *subject, struct finding *finding);

#endif
