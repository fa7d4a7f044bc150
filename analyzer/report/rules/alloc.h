/* SPDX-License-Identifier: MIT */
/*
 * Allocating and freeing memory as a subject of rules: numbers, place and the usual evidence. The
 * functions of the rules are declared by their rows (row.h).
 */
#ifndef ANALYZER_REPORT_RULES_ALLOC_H
#define ANALYZER_REPORT_RULES_ALLOC_H

#include "analyzer/report/rules/row.h"

void alloc_describe(const struct subject *subject, struct finding *finding);

#endif
