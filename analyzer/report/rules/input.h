/* SPDX-License-Identifier: MIT */
/* How the run waits for data, as the rules of that class describe it. */
#ifndef ANALYZER_REPORT_RULES_INPUT_H
#define ANALYZER_REPORT_RULES_INPUT_H

#include "analyzer/report/rules/row.h"

void input_describe(const struct subject *subject, struct finding *finding);

#endif
