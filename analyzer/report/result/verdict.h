/* SPDX-License-Identifier: MIT */
/*
 * Whether the trace can be trusted, and what limits the run: the two sentences of a report that
 * everything else explains. Plain data.
 */
#ifndef ANALYZER_REPORT_RESULT_VERDICT_H
#define ANALYZER_REPORT_RESULT_VERDICT_H

#include <stdint.h>

#include "analyzer/report/result/doubt.h"
#include "analyzer/report/result/finding.h"

#define REPORT_TEXT    FINDING_TEXT
#define REPORT_REASONS 12u

enum health_status {
	HEALTH_GOOD,
	HEALTH_DEGRADED,
	HEALTH_BAD,
	HEALTH_STATUS_COUNT
};

struct health {
	enum health_status status;
	uint64_t events, lost, missing;
	double matched_pct, overhead_pct; /* REPORT_UNKNOWN_PCT */
	double hooks_pct; /* of a step, what recording took on the program's threads */
	char reasons[REPORT_REASONS][160];
	unsigned reason_count;
};

enum verdict_class {
	VERDICT_IO,
	VERDICT_CPU,
	VERDICT_GPU,
	VERDICT_MIXED,
	VERDICT_INSUFFICIENT,
	VERDICT_CLASS_COUNT
};

/* What a verdict rests on. */
enum verdict_basis {
	VERDICT_BY_NOTHING, /* nothing shows the GPU's pace */
	VERDICT_BY_BOUNDS,  /* what is certain about the GPU's time, or measured */
	VERDICT_BY_WAITS,   /* the GPU had finished whenever the host asked */
	VERDICT_BY_ESTIMATE,
};

struct verdict {
	enum verdict_class class;
	enum verdict_basis basis;
	const char *cause; /* a name of cause.def, or NULL */
	enum confidence confidence;
	struct doubt doubts[DOUBT_COUNT]; /* what lowers it */
	unsigned doubt_count;
	char text[REPORT_TEXT];
};

#endif
