/* SPDX-License-Identifier: MIT */
/*
 * The result of an analysis, ready to be printed: what the outputs and the verdict
 * share. Built once from a model (report.c); texts belong to the model's lookup or to
 * the report itself.
 *
 * A number that is not known is REPORT_UNKNOWN and printed as unknown, never as 0.
 */
#ifndef ANALYZER_REPORT_H
#define ANALYZER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/model.h"
#include "analyzer/read/reader.h"
#include "analyzer/report/threshold.h"
#include "analyzer/timeline/cause.h"
#include "collector/base/vec.h"

#define REPORT_UNKNOWN     UINT64_MAX
#define REPORT_TEXT        512u
#define REPORT_REASONS     12u
#define REPORT_FINDINGS    64u
#define REPORT_UNKNOWN_PCT (-1.0)

enum rule_id {
#define RULE(id, name, catalogue, title, advice) RULE_##id,
#include "analyzer/report/rules.def"
#undef RULE
	RULE_COUNT
};

struct rule {
	const char *name, *catalogue, *title, *advice;
};

extern const struct rule rules[RULE_COUNT];

enum severity {
	SEVERITY_HIGH,
	SEVERITY_MEDIUM,
	SEVERITY_LOW,
	SEVERITY_INFO,
	SEVERITY_COUNT
};

struct finding {
	enum rule_id rule, part_of; /* part_of: the finding that has the gain; rule: itself */
	double whole_pct;           /* the gain of that */
	enum severity severity;
	const char *file, *function;                /* NULL: unknown */
	uint64_t line;                              /* 0: unknown */
	const char *op;                             /* NULL: none */
	uint64_t stream;                            /* REPORT_UNKNOWN: none */
	double calls_per_step;                      /* below 0: not counted in calls */
	uint64_t host_ns, exposed_ns, predicted_ns; /* per step; exposed_ns: REPORT_UNKNOWN */
	double gain_pct;                            /* REPORT_UNKNOWN_PCT: told elsewhere */
	uint32_t spot;                              /* 0: none */
	char where[REPORT_TEXT], evidence[REPORT_TEXT], text[REPORT_TEXT], advice[REPORT_TEXT];
};

enum health_status {
	HEALTH_GOOD,
	HEALTH_DEGRADED,
	HEALTH_BAD
};

struct health {
	enum health_status status;
	uint64_t events, lost, missing;
	double matched_pct, overhead_pct; /* REPORT_UNKNOWN_PCT */
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

enum confidence {
	CONFIDENCE_LOW,
	CONFIDENCE_MEDIUM,
	CONFIDENCE_HIGH,
	CONFIDENCE_COUNT
};

struct verdict {
	enum verdict_class class;
	const char *cause; /* a name of cause.def, or NULL */
	enum confidence confidence;
	char text[REPORT_TEXT];
};

struct account_line {
	uint64_t ns_per_step;
	unsigned tenths; /* of a percent; all lines together 1000 */
};

struct report {
	const struct model *model;
	const struct thresholds *thresholds;
	struct steps_summary steps;
	enum confidence steps_confidence;
	uint64_t predicted_ns; /* with all findings mended but launch-bound; REPORT_UNKNOWN */
	uint64_t swept[SWEEP_VALUE_COUNT], counted[MODEL_VALUE_COUNT]; /* steady steps, sums */
	struct account_line account[CAUSE_COUNT];
	/* shares of steady time, percent; REPORT_UNKNOWN_PCT without steady steps */
	double reader_pct, busy_pct, busy_low_pct, busy_high_pct, host_pct, waited_pct;
	double behind_pct; /* as waited_pct, with what came after the last step */
	bool busy_measured;
	double measured_pct, measured_busy_pct; /* of steady time; GPU busy in that part */
	struct health health;
	struct verdict verdict;
	struct finding findings[REPORT_FINDINGS];
	unsigned finding_count;
};

/* What the health of the trace is judged by, beside the model. */
struct report_input {
	const struct model *model;
	const struct thresholds *thresholds;
	struct reader_health reader;
	bool complete;      /* the whole trace was read, not a window of it */
	uint64_t odd, late; /* records with impossible times; out of order */
	uint64_t wall_ns;
};

/* Fill a report that the caller gives (it is large: do not put it on the stack). */
void report_build(struct report *report, const struct report_input *input);

/* Parts of report_build(), in this order. */
void health_judge(struct report *report, const struct report_input *input);
void rules_apply(struct report *report);
void verdict_decide(struct report *report);

/* For texts: a duration with a fitting unit ("1.23 ms") into buffer; returns buffer. */
const char *report_duration(uint64_t ns, char *buffer, size_t size);

extern const char *const severity_names[SEVERITY_COUNT];
extern const char *const verdict_names[VERDICT_CLASS_COUNT];
extern const char *const confidence_names[CONFIDENCE_COUNT];
extern const char *const health_names[];

#endif
