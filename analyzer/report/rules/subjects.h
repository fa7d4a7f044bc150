/* SPDX-License-Identifier: MIT */
/*
 * What the run as a whole is for the rules of each class: numbers, place and the usual evidence
 * (those of a line are below). A rule of RULE_RUN writes all that itself. The functions of the
 * rules are declared by their rows (row.h).
 */
#ifndef ANALYZER_REPORT_RULES_SUBJECTS_H
#define ANALYZER_REPORT_RULES_SUBJECTS_H

#include "analyzer/report/rules/row.h"

void input_describe(const struct subject *subject, struct finding *finding);
void launch_describe(const struct subject *subject, struct finding *finding);
void alloc_describe(const struct subject *subject, struct finding *finding);
void setup_describe(const struct subject *subject, struct finding *finding);
void gc_describe(const struct subject *subject, struct finding *finding);
void gil_describe(const struct subject *subject, struct finding *finding);

/* The function in which samples show most of the host's code in idle time, and its line. */
void code_describe(const struct subject *subject, struct finding *finding);

/* Where the loop's own thread mostly is, by samples, while it makes a batch or waits for one. */
struct code_making {
	char where[FINDING_TEXT], function[128];
	uint64_t all;         /* samples */
	double pct, line_pct; /* of them in the function, and at its line */
};

/* False: at the line that asks for the batch, or not known. */
bool code_makes_batches(const struct report *report, struct code_making *ret_making);

/* What a step would be without that function's share of the idle time. */
double code_gain(const struct report *report, const struct finding *finding, uint64_t *ret_step_ns);

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
/*
 * Few steps that hold much of the time, and checkpoints between steps: the next one, *at is 0 at
 * first, false: no more; with their gain; and all that lies between steps, as a text of the report.
 */
bool burst_next(const struct report *report, uint32_t *at, struct burst_cost *ret_cost);
void burst_describe(const struct subject *subject, struct finding *finding);
void burst_tell(struct report *report);

#endif
