/* SPDX-License-Identifier: MIT */
/* How the run launches, as the rules of that class describe it. */
#ifndef ANALYZER_REPORT_RULES_LAUNCH_H
#define ANALYZER_REPORT_RULES_LAUNCH_H

#include "analyzer/report/rules/row.h"

void launch_describe(const struct subject *subject, struct finding *finding);

#endif
