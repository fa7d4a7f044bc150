/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "analyzer/report/report.h"

/* A run measured for less than this is judged by what its waits tell. */
#define MEASURED_ENOUGH_PCT 50.0
/* Bounds of the busy time further apart than this say little by themselves. */
#define BOUNDS_WIDE_PCT 30.0
/* ... unless the device was that far behind in the end. */
#define BEHIND_CLEAR_PCT 20.0

/* The largest reason for which the device is idle. */
static enum cause largest_idle(const struct report *report)
{
	enum cause best = CAUSE_IDLE_INPUT;
	for (unsigned cause = CAUSE_IDLE_INPUT; cause < CAUSE_COUNT; cause++)
		if (report->swept[cause] > report->swept[best])
			best = cause;
	return best;
}

static void decide_io(struct report *report)
{
	struct verdict *verdict = &report->verdict;
	bool strong = report->reader_pct >= report_limit(report, THRESHOLD_IO_STRONG);
	verdict->class = VERDICT_IO;
	verdict->cause = cause_infos[CAUSE_IDLE_INPUT].name;
	verdict->confidence = strong ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	snprintf(verdict->text, sizeof(verdict->text),
		"the host waits for data for %.1f %% of a step (limit %g %%), and for %.1f %% the "
		"GPU is idle because of that",
		report->reader_pct, report_limit(report, THRESHOLD_IO),
		report_cause_pct(report, CAUSE_IDLE_INPUT));
}

/* Something else idles the GPU far more than a moderate wait for data does. */
static bool outweighed(const struct report *report)
{
	return report->reader_pct < report_limit(report, THRESHOLD_IO_STRONG) &&
	       report->swept[largest_idle(report)] > 2 * report->swept[CAUSE_IDLE_INPUT];
}

static void decide_gpu(struct report *report, enum confidence confidence)
{
	struct verdict *verdict = &report->verdict;
	enum cause cause = CAUSE_DEVICE_COMPUTE;
	if (report_cause_pct(report, CAUSE_DEVICE_COPY) > report_limit(report, THRESHOLD_COPY))
		cause = CAUSE_DEVICE_COPY;
	if (report_cause_pct(report, CAUSE_DEVICE_COMM) > report_limit(report, THRESHOLD_COMM))
		cause = CAUSE_DEVICE_COMM;
	verdict->class = VERDICT_GPU;
	verdict->cause = cause_infos[cause].name;
	verdict->confidence = confidence;
	snprintf(verdict->text, sizeof(verdict->text), "the GPU is busy %.1f %% of the time: %s",
		report->busy_pct, cause_infos[cause].why);
}

/* What shows that the GPU had (nearly) always finished when the host asked. */
static const char *kept_up_text(const struct model *model)
{
	if (model->kept_up > 0 && model->waits == 0)
		return "the GPU was already idle at every sync";
	if (model->kept_up > 0 && model->kept_up >= model->waits)
		return "the GPU was already idle at most syncs";
	return "the GPU was never far behind";
}

static void decide_cpu(struct report *report, enum confidence confidence, bool kept_up)
{
	struct verdict *verdict = &report->verdict;
	const struct cause_info *idle = &cause_infos[largest_idle(report)];
	verdict->class = VERDICT_CPU;
	verdict->cause = idle->name;
	verdict->confidence = confidence;
	if (kept_up)
		snprintf(verdict->text, sizeof(verdict->text), "the host sets the pace (%s): %s",
			kept_up_text(report->model), idle->why);
	else
		snprintf(verdict->text, sizeof(verdict->text),
			"the GPU is busy only %.1f %% of the time: %s", report->busy_pct,
			idle->why);
}

static void decide_mixed(struct report *report, const char *why)
{
	struct verdict *verdict = &report->verdict;
	enum cause idle = largest_idle(report);
	char bounds[64] = "";
	verdict->class = VERDICT_MIXED;
	verdict->cause = cause_infos[idle].name;
	verdict->confidence = report->busy_measured ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	if (!report->busy_measured)
		snprintf(bounds, sizeof(bounds), " (%.1f to %.1f %%)", report->busy_low_pct,
			report->busy_high_pct);
	snprintf(verdict->text, sizeof(verdict->text),
		"%s: the GPU is busy %s%.1f %% of the time%s; most idle time (%.1f %%): %s", why,
		report->busy_measured ? "" : "about ", report->busy_pct, bounds,
		report_cause_pct(report, idle), cause_infos[idle].why);
}

/* What was measured speaks for the rest. */
static bool mostly_measured(const struct report *report)
{
	return report->measured_pct >= MEASURED_ENOUGH_PCT;
}

/* Waits for the device take so much time that it is the one that is behind. */
static bool falls_behind(const struct report *report)
{
	return report->behind_pct >= report_limit(report, THRESHOLD_KEPT_UP);
}

/*
 * Something in the trace shows whether the device kept up: a wait for it, short or long, or more
 * launches than its queue holds.
 */
static bool pace_is_known(const struct report *report)
{
	return mostly_measured(report) || report->model->kept_up > 0 || falls_behind(report) ||
	       report->counted[MODEL_LAUNCHES] > 2ull * DEVICE_QUEUE_DEPTH;
}

/* The device had (nearly) always finished when the host asked. */
static bool device_kept_up(const struct report *report)
{
	const struct model *model = report->model;
	if (mostly_measured(report))
		return false;
	return !falls_behind(report) ||
	       (report->behind_pct < BEHIND_CLEAR_PCT && model->blocked == 0 &&
		       model->kept_up > 2 * model->waits);
}

static void decide_by_busy(struct report *report)
{
	double low = report->busy_low_pct, high = report->busy_high_pct, busy = report->busy_pct;
	double cpu = report_limit(report, THRESHOLD_CPU), gpu = report_limit(report, THRESHOLD_GPU);
	bool wide = high - low > BOUNDS_WIDE_PCT && !report->busy_measured;
	/* half a run that was measured tells more than waits do */
	if (mostly_measured(report) && !report->busy_measured)
		busy = report->measured_busy_pct;
	enum confidence confidence =
		wide && report->behind_pct < BEHIND_CLEAR_PCT && !mostly_measured(report)
			? CONFIDENCE_LOW
			: CONFIDENCE_MEDIUM;
	bool copies =
		report->swept[CAUSE_DEVICE_COPY] > report->swept[CAUSE_DEVICE_COMPUTE] &&
		report->swept[CAUSE_DEVICE_COPY] > report->swept[largest_idle(report)] &&
		report_cause_pct(report, CAUSE_DEVICE_COPY) > report_limit(report, THRESHOLD_COPY);
	if (low > gpu || copies)
		decide_gpu(report, wide ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH);
	else if (high < cpu)
		decide_cpu(report, CONFIDENCE_HIGH, false);
	else if (!pace_is_known(report))
		decide_mixed(report, "the host never waits for the GPU, whose pace is not known");
	else if (device_kept_up(report))
		decide_cpu(report, CONFIDENCE_MEDIUM, true);
	else if (busy > gpu)
		decide_gpu(report, confidence);
	else if (busy < cpu)
		decide_cpu(report, confidence, false);
	else
		decide_mixed(report, "neither the GPU nor the host alone sets the pace");
}

void verdict_decide(struct report *report)
{
	struct verdict *verdict = &report->verdict;
	if (report->health.status == HEALTH_BAD) {
		verdict->class = VERDICT_INSUFFICIENT;
		verdict->confidence = CONFIDENCE_HIGH;
		snprintf(verdict->text, sizeof(verdict->text), "%s",
			report->health.reason_count > 0 ? report->health.reasons[0]
							: "the trace is not sound");
		return;
	}
	if (report->busy_pct < 0) { /* REPORT_UNKNOWN_PCT */
		verdict->class = VERDICT_INSUFFICIENT;
		verdict->confidence = CONFIDENCE_HIGH;
		snprintf(verdict->text, sizeof(verdict->text),
			"no time was recorded between the ends of the steps");
		return;
	}
	/* a slow loader behind a busy device costs nothing yet */
	bool hidden =
		report->busy_pct > report_limit(report, THRESHOLD_GPU) &&
		report_cause_pct(report, CAUSE_IDLE_INPUT) < report_limit(report, THRESHOLD_IO);
	bool over = report_waits_for_data(report);
	if (over && !hidden && !outweighed(report))
		decide_io(report);
	else
		decide_by_busy(report);
	if (over && verdict->class != VERDICT_IO) {
		size_t used = strlen(verdict->text);
		snprintf(verdict->text + used, sizeof(verdict->text) - used,
			"; the host also waits for data for %.1f %% of a step (limit %g %%)%s",
			report->reader_pct, report_limit(report, THRESHOLD_IO),
			hidden ? ", hidden behind the GPU's work for now" : "");
	}
	if (mostly_measured(report) && !report->busy_measured) {
		size_t used = strlen(verdict->text);
		snprintf(verdict->text + used, sizeof(verdict->text) - used,
			"; the GPU's times were measured for %.1f %% of the run",
			report->measured_pct);
	}
	bool doubtful = report->health.status == HEALTH_DEGRADED || report_lag_grows(report);
	if (doubtful && verdict->confidence == CONFIDENCE_HIGH)
		verdict->confidence = CONFIDENCE_MEDIUM;
}
