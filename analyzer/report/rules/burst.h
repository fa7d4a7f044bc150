/* SPDX-License-Identifier: MIT */
/*
 * Few steps that hold much of the time, and checkpoints between steps: where, and what that costs.
 */
#ifndef ANALYZER_REPORT_RULES_BURST_H
#define ANALYZER_REPORT_RULES_BURST_H

#include "analyzer/report/rules/row.h"

/* The next one; *at is 0 at first. False: no more. */
bool burst_next(const struct report *report, uint32_t *at, struct burst_cost *ret_cost);

/* What lies between the steps, as a text of the report. */
void burst_tell(struct report *report);

/* With its gain. */
void burst_describe(const struct subject *subject, struct finding *finding);

#endif
