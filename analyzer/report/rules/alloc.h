/* SPDX-License-Identifier: MIT */
/* How the run allocates memory, as the rules of that class describe it. */
#ifndef ANALYZER_REPORT_RULES_ALLOC_H
#define ANALYZER_REPORT_RULES_ALLOC_H

#include "analyzer/report/rules/row.h"

void alloc_describe(const struct subject *subject, struct finding *finding);

#endif
