/* SPDX-License-Identifier: MIT */
/*
 * Code of the host that idles the GPU, by samples of the stack: in which function most of them
 * were, at which of its lines, and who called it.
 */
#ifndef ANALYZER_REPORT_RULES_HOST_H
#define ANALYZER_REPORT_RULES_HOST_H

#include "analyzer/report/rules/row.h"

void host_describe(const struct subject *subject, struct finding *finding);

/* What a step would be without the function's share of the idle time. */
double host_gain(const struct report *report, const struct finding *finding, uint64_t *ret_step_ns);

#endif
