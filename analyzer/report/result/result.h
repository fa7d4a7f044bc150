/* SPDX-License-Identifier: MIT */
/*
 * The result of an analysis, ready to be printed: what the rules and the verdict read
 * and add to, and what the outputs print. Percentages of a step have one base, the time
 * that the account explains; each is worked out once, here.
 *
 * A number that is not known is REPORT_UNKNOWN and printed as unknown, never as 0.
 */
#ifndef ANALYZER_REPORT_RESULT_RESULT_H
#define ANALYZER_REPORT_RESULT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/facts/facts.h"
#include "analyzer/model/model.h"
#include "analyzer/report/result/finding.h"
#include "analyzer/report/result/others.h"
#include "analyzer/report/result/threshold.h"
#include "analyzer/report/result/verdict.h"
#include "analyzer/steps/figures.h"
#include "analyzer/timeline/cause.h"

#define REPORT_UNKNOWN     UINT64_MAX
#define REPORT_UNKNOWN_PCT (-1.0)
#define REPORT_FINDINGS    64u
#define REPORT_ANSWERS     17u

struct account_line {
	uint64_t ns_per_step;
	unsigned tenths; /* of a percent; all lines together 1000 */
	bool estimated;  /* inferred from what the host did, not measured */
};

/* What the user asked to take away, and what a step would be without it. */
struct answer {
	const char *text;      /* the question */
	unsigned findings;     /* that it is about; 0 of a cause */
	double gain_pct;       /* REPORT_UNKNOWN_PCT: there is nothing to take away */
	uint64_t predicted_ns; /* REPORT_UNKNOWN */
};

/* The thread whose time the account is. */
struct report_stepping {
	bool known;
	uint32_t thread, tid; /* ours, the system's */
	unsigned others;      /* threads that give the device work too */
	bool minor;           /* those launch more kernels than this one */
};

struct report {
	const struct model *model;
	const struct thresholds *thresholds;
	struct facts *facts; /* NULL: none */
	struct steps_summary steps;
	enum confidence steps_confidence;
	double lag_growth_pct; /* of a step: by so much the device falls behind for good in each */
	uint64_t
		predicted_ns; /* of a step with all findings mended but launching; REPORT_UNKNOWN */
	uint64_t swept[SWEEP_VALUE_COUNT], counted[MODEL_VALUE_COUNT]; /* steady steps, sums */
	double played_ns;          /* the steady steps, played with nothing taken away (whatif.h) */
	uint64_t accounted_ns;     /* all causes together */
	uint64_t run_ns;           /* from the first event to the last */
	char between[REPORT_TEXT]; /* what lies between steps and is none, in words; or empty */
	uint64_t reader_ns;        /* of what is accounted: waiting for data */
	struct account_line account[CAUSE_COUNT];
	/* shares of accounted_ns, percent; REPORT_UNKNOWN_PCT without steady steps */
	double reader_pct, busy_pct, busy_low_pct, busy_high_pct, host_pct, waited_pct;
	double behind_pct; /* as waited_pct, with what came after the last step */
	/* the thread that ends the steps: on a processor, ready without one, blocked or asleep */
	double run_pct, delay_pct, blocked_pct;
	struct load_span load; /* of that thread; ns 0: unknown */
	struct report_stepping stepping;
	bool busy_measured;
	double measured_pct, measured_busy_pct; /* of steady time; GPU busy in that part */
	struct report_workers workers;
	struct report_peer peer;
	struct health health;
	struct verdict verdict;
	struct finding findings[REPORT_FINDINGS];
	unsigned finding_count;
	struct answer answers[REPORT_ANSWERS]; /* to what the user asked */
	unsigned answer_count;
};

extern const char *const severity_names[SEVERITY_COUNT];
extern const char *const verdict_names[VERDICT_CLASS_COUNT];
extern const char *const health_names[HEALTH_STATUS_COUNT];

/* The limit in force: the default or what the user set. */
static inline double report_limit(const struct report *report, enum threshold_id id)
{
	return report->thresholds->values[id];
}

/* Percent; REPORT_UNKNOWN_PCT of nothing. */
double report_share(uint64_t part, uint64_t whole);

/* Percent of a step in which the GPU only waits for the rank that comes last; 0: none. */
double report_peer_pct(const struct report *report);

/* A sum over the steady steps as a mean. There must be steady steps. */
double report_per_step(const struct report *report, uint64_t sum);
uint64_t report_ns_per_step(const struct report *report, uint64_t sum);

/* Percent of a step that a cause has, as printed. */
double report_cause_pct(const struct report *report, enum cause cause);

/* The reason for which the device is idle longest, and the next one. */
enum cause report_largest_idle(const struct report *report, enum cause *ret_second);

/* The processors of the machine were busy for so much of the run; REPORT_UNKNOWN_PCT. */
double report_load_pct(const struct report *report);

/* That is so much that what follows holds for a machine as busy as that alone. */
bool report_is_loaded(const struct report *report);

/* The GPU's busy time is known too badly to tell more than that it lies somewhere. */
bool report_bounds_are_wide(const struct report *report);

/* The device falls further behind with each step than the limit allows. */
bool report_lag_grows(const struct report *report);

/* The host waits for data for longer than the limit allows. */
bool report_waits_for_data(const struct report *report);

/* What a spot did in the steady steps. */
struct spot_sums {
	uint64_t counted[SPOT_VALUE_COUNT], found[SPOT_FINDING_COUNT];
};
struct spot_sums report_spot(const struct report *report, uint32_t spot);

/*
 * Data that the device works on comes from there: a loader, or a call that blocked the host and
 * that mostly had its bytes or its item copied to the device afterwards.
 */
bool report_feeds(const struct report *report, uint32_t spot);

/* The spot of the data that idles the GPU most, else the host; 0: none. */
uint32_t report_input_spot(const struct report *report);

/* For texts: a duration with a fitting unit ("1.23 ms") into buffer; returns buffer. */
const char *report_duration(uint64_t ns, char *buffer, size_t size);
/* The mean step, and between what it lies where that is an estimate of more than a percent. */
const char *report_mean(const struct report *report, char *buffer, size_t size);

#endif
