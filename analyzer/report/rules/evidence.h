/* SPDX-License-Identifier: MIT */
/*
 * The sentences in which a finding says what it rests on: means over the steady steps,
 * with the number of those at the end.
 */
#ifndef ANALYZER_REPORT_RULES_EVIDENCE_H
#define ANALYZER_REPORT_RULES_EVIDENCE_H

#include "analyzer/report/rules/row.h"

/* Append to the evidence; what does not fit is cut off. */
__attribute__((format(printf, 2, 3))) void evidence_add(
	struct finding *finding, const char *format, ...);

/* Append for how long the GPU idles meanwhile, if there is one; between: what stands before it. */
void evidence_meanwhile(const struct report *report, const char *between, struct finding *finding);

/* Say over how many steps the numbers are means. */
void evidence_end(const struct report *report, struct finding *finding);

/* What a line's calls cost the host and the GPU. */
void evidence_of_line(const struct subject *subject, struct finding *finding);

#endif
