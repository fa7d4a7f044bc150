/* SPDX-License-Identifier: MIT */
/*
 * Advice for a line in the words of what it does: bool(), item(), print and numpy() wait for the
 * same reason, but are mended differently. From one table (idiom.def).
 */
#ifndef ANALYZER_REPORT_RULES_IDIOM_H
#define ANALYZER_REPORT_RULES_IDIOM_H

#include "analyzer/report/rules/row.h"

/* Write the advice for a finding of that rule at a line; nothing where the rule's own one fits. */
void idiom_advise(const struct subject *subject, unsigned rule, struct finding *finding);

/* The innermost frame of a line's first call is in a file whose path ends so. */
bool idiom_is_within(const struct subject *subject, const char *file);

#endif
