/* SPDX-License-Identifier: MIT */
/*
 * A line of the program as a subject of rules. A line may have a spot for each kind of
 * thing that it does; a copy that does not block the host, but that the line then waits
 * for, is part of the wait, so that the line is told once.
 */
#ifndef ANALYZER_REPORT_RULES_LINE_H
#define ANALYZER_REPORT_RULES_LINE_H

#include "analyzer/report/rules/row.h"

/* False when the spot is part of another or did nothing in the steady steps. */
bool line_look(const struct report *report, uint32_t spot, struct subject *ret_subject);

/* Place, numbers and evidence of the line. */
void line_describe(const struct subject *subject, struct finding *finding);

/*
 * A line at which the host is blocked or runs code; false: it does something else, or waits for
 * data. Its numbers are those of the account's thread.
 */
bool host_look(const struct report *report, uint32_t spot, struct subject *ret_subject);
void host_describe(const struct subject *subject, struct finding *finding);

/* Mark the spots that the line of this one consists of, as removed. */
void line_remove(const struct report *report, uint32_t spot, bool *removed);

#endif
