/* SPDX-License-Identifier: MIT */
/*
 * Makes the report of a run from its model: numbers first (report.c), then the trace's
 * health (health.c), the findings (rules/), the verdict (verdict.c) and how sure it is
 * (confidence.c), each of which reads what came before. The result (result/) is complete
 * afterwards and only printed.
 */
#ifndef ANALYZER_REPORT_H
#define ANALYZER_REPORT_H

#include "analyzer/read/reader.h"
#include "analyzer/report/ask.h"
#include "analyzer/report/result/result.h"

/* A run measured for less than this is judged by what its waits tell. */
#define MEASURED_ENOUGH_PCT 50.0
/* The device was that far behind in the end: bounds of its busy time do not matter then. */
#define BEHIND_CLEAR_PCT 20.0

/* What the health of the trace is judged by, beside the model. */
struct report_input {
	const struct model *model;
	const struct thresholds *thresholds;
	struct facts *facts; /* NULL: none */
	struct report_workers workers;
	const struct report_peer *peer;     /* NULL: none is known */
	const struct rule_choices *choices; /* NULL: all rules as they are */
	const struct rule_ask *asks;        /* what to take away as well */
	size_t ask_count;
	struct reader_health reader;
	bool simulated;     /* the GPU was a simulated one */
	bool blind;         /* work of a GPU would not be in the trace */
	bool complete;      /* the whole trace was read, not a window of it */
	uint64_t odd, late; /* records with impossible times; out of order */
	uint64_t wall_ns;
};

/* Fill a report that the caller gives (it is large: do not put it on the stack). */
void report_build(struct report *report, const struct report_input *input);

/* Parts of report_build(), in this order; the rules come in between. */
void health_judge(struct report *report, const struct report_input *input);
void verdict_decide(struct report *report);
void confidence_judge(struct report *report); /* of the verdict: part of verdict_decide() */

#endif
