/* SPDX-License-Identifier: MIT */
/*
 * One finding of the report: which rule it is an example of, where, what it costs, what
 * its removal would gain, and what to try. Filled by the rules, sorted by gain, only
 * printed afterwards. Texts belong to the trace's names or to the finding itself.
 */
#ifndef ANALYZER_REPORT_RESULT_FINDING_H
#define ANALYZER_REPORT_RESULT_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#define FINDING_TEXT     512u
#define FINDING_EVIDENCE 768u /* no number in it may be cut off */

/* A rule as readers know it; the rows are in analyzer/report/rules/rules.def. */
struct rule {
	unsigned id;           /* its row */
	const char *name;      /* users and CI jobs rely on it */
	const char *catalogue; /* number in the catalogue of advice */
	const char *title;     /* what is the matter; follows the place */
	const char *advice;    /* what to try; %s is the place */
	uint64_t limits;       /* bits of enum threshold_id: what it is decided by */
};

enum severity {
	SEVERITY_HIGH,
	SEVERITY_MEDIUM,
	SEVERITY_LOW,
	SEVERITY_INFO,
	SEVERITY_COUNT
};

/* A line of the program on the way to the finding's. */
struct finding_caller {
	const char *file, *function; /* NULL: unknown */
	uint64_t line;
	char where[128]; /* train.py:12 */
};
#define FINDING_CALLERS 3u

struct finding {
	const struct rule *rule;
	const struct rule
		*part_of; /* explains that finding, which has the gain; NULL: has its own */
	double whole_pct; /* the gain of that */
	enum severity severity;
	const char *file, *function;            /* NULL: unknown */
	uint64_t line;                          /* 0: unknown */
	const char *library, *library_function; /* called by that line; NULL: none */
	uint64_t library_line;
	const char *until_file; /* of code after that line: where the next call is; NULL: none */
	uint64_t until_line;
	const char *op;                             /* NULL: none */
	uint64_t stream;                            /* REPORT_UNKNOWN: none */
	double calls_per_step;                      /* below 0: not counted in calls */
	uint64_t calls, steps_with_calls;           /* in the steady steps; REPORT_UNKNOWN */
	uint64_t host_ns, exposed_ns, predicted_ns; /* per step; exposed_ns: REPORT_UNKNOWN */
	double gain_pct;                            /* REPORT_UNKNOWN_PCT: told elsewhere */
	double run_pct;   /* of the run, of what lies between the steps; 0: it is in them */
	uint32_t spot;    /* 0: none */
	double share_pct; /* of the samples of the host's code; REPORT_UNKNOWN_PCT: none are */
	struct finding_caller callers[FINDING_CALLERS]; /* from the line outward */
	unsigned caller_count;
	bool by_machine; /* others had the processors meanwhile, which may be all there is */
	char where[FINDING_TEXT], evidence[FINDING_EVIDENCE], text[FINDING_TEXT];
	char advice[FINDING_TEXT];
};

#endif
