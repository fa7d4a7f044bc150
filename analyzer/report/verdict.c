/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "analyzer/report/gpus.h"
#include "analyzer/report/report.h"

static enum cause largest_idle(const struct report *report)
{
	enum cause second;
	return report_largest_idle(report, &second);
}

/* The class follows from what waiting for data costs, not from how long it takes. */
static void decide_io(struct report *report)
{
	struct verdict *verdict = &report->verdict;
	verdict->class = VERDICT_IO;
	verdict->basis = report->busy_measured ? VERDICT_BY_BOUNDS : VERDICT_BY_ESTIMATE;
	verdict->cause = cause_infos[CAUSE_IDLE_INPUT].name;
	snprintf(verdict->text, sizeof(verdict->text),
		"the GPU is idle for %.1f %% of a step because the host waits for data (limit "
		"%g %%); the host waits for it for %.1f %%",
		report_cause_pct(report, CAUSE_IDLE_INPUT), report_limit(report, THRESHOLD_IO),
		report->reader_pct);
}

/* Something else idles the GPU far more than a moderate wait for data does. */
static bool outweighed(const struct report *report)
{
	return report_cause_pct(report, CAUSE_IDLE_INPUT) <
		       report_limit(report, THRESHOLD_IO_STRONG) &&
	       report->swept[largest_idle(report)] > 2 * report->swept[CAUSE_IDLE_INPUT];
}

static void decide_gpu(struct report *report, double busy)
{
	struct verdict *verdict = &report->verdict;
	enum cause cause = CAUSE_DEVICE_COMPUTE;
	if (report_cause_pct(report, CAUSE_DEVICE_COPY) > report_limit(report, THRESHOLD_COPY))
		cause = CAUSE_DEVICE_COPY;
	if (report_cause_pct(report, CAUSE_DEVICE_COMM) > report_limit(report, THRESHOLD_COMM))
		cause = CAUSE_DEVICE_COMM;
	verdict->class = VERDICT_GPU;
	verdict->cause = cause_infos[cause].name;
	snprintf(verdict->text, sizeof(verdict->text), "the GPU is busy %.1f %% of the time: %s",
		busy, cause_infos[cause].why);
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

static void decide_cpu(struct report *report, double busy)
{
	struct verdict *verdict = &report->verdict;
	const struct cause_info *idle = &cause_infos[largest_idle(report)];
	verdict->class = VERDICT_CPU;
	verdict->cause = idle->name;
	if (verdict->basis == VERDICT_BY_WAITS)
		snprintf(verdict->text, sizeof(verdict->text), "the host sets the pace (%s): %s",
			kept_up_text(report->model), idle->why);
	else
		snprintf(verdict->text, sizeof(verdict->text),
			"the GPU is busy only %.1f %% of the time: %s", busy, idle->why);
}

static void decide_mixed(struct report *report, const char *why)
{
	struct verdict *verdict = &report->verdict;
	enum cause idle = largest_idle(report);
	char bounds[64] = "";
	verdict->class = VERDICT_MIXED;
	verdict->cause = cause_infos[idle].name;
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
	struct verdict *verdict = &report->verdict;
	double low = report->busy_low_pct, high = report->busy_high_pct, busy = report->busy_pct;
	double cpu = report_limit(report, THRESHOLD_CPU), gpu = report_limit(report, THRESHOLD_GPU);
	/* half a run that was measured tells more than waits do */
	if (mostly_measured(report) && !report->busy_measured)
		busy = report->measured_busy_pct;
	bool copies =
		report->swept[CAUSE_DEVICE_COPY] > report->swept[CAUSE_DEVICE_COMPUTE] &&
		report->swept[CAUSE_DEVICE_COPY] > report->swept[largest_idle(report)] &&
		report_cause_pct(report, CAUSE_DEVICE_COPY) > report_limit(report, THRESHOLD_COPY);
	verdict->basis = report->busy_measured || low > gpu || high < cpu ? VERDICT_BY_BOUNDS
									  : VERDICT_BY_ESTIMATE;
	if (low > gpu || copies) {
		decide_gpu(report, report->busy_pct);
	} else if (high < cpu) {
		decide_cpu(report, report->busy_pct);
	} else if (!pace_is_known(report)) {
		verdict->basis = VERDICT_BY_NOTHING;
		decide_mixed(report, "the host never waits for the GPU, whose pace is not known");
	} else if (device_kept_up(report)) {
		verdict->basis = VERDICT_BY_WAITS;
		decide_cpu(report, report->busy_pct);
	} else if (busy > gpu) {
		decide_gpu(report, busy);
	} else if (busy < cpu) {
		decide_cpu(report, busy);
	} else {
		decide_mixed(report, "neither the GPU nor the host alone sets the pace");
	}
}

static void refuse(struct report *report, const char *why)
{
	report->verdict.class = VERDICT_INSUFFICIENT;
	report->verdict.confidence = CONFIDENCE_HIGH;
	snprintf(report->verdict.text, sizeof(report->verdict.text), "%s", why);
}

/* There is no GPU: what the host did decides. */
static void decide_alone(struct report *report)
{
	struct verdict *verdict = &report->verdict;
	bool waits =
		report_cause_pct(report, CAUSE_IDLE_INPUT) > report_limit(report, THRESHOLD_IO) &&
		!outweighed(report);
	enum cause cause = waits ? CAUSE_IDLE_INPUT : largest_idle(report);
	verdict->class = waits ? VERDICT_IO : VERDICT_CPU;
	verdict->basis = VERDICT_BY_BOUNDS;
	verdict->cause = cause_infos[cause].name;
	if (waits)
		snprintf(verdict->text, sizeof(verdict->text),
			"the program waits for data for %.1f %% of a step (limit %g %%); it gave "
			"no work to a GPU",
			report->reader_pct, report_limit(report, THRESHOLD_IO));
	else
		snprintf(verdict->text, sizeof(verdict->text),
			"the program gave no work to a GPU; for %.1f %% of a step: %s",
			report_cause_pct(report, cause), cause_text(cause, true));
}

/* The GPU works for as long as the host waits for data and it does not idle for that. */
static bool works_meanwhile(const struct report *report)
{
	return report->busy_pct >= report->reader_pct - report_cause_pct(report, CAUSE_IDLE_INPUT);
}

/* What is not the verdict, but should be known with it. */
static void add_beside(struct report *report, bool hidden)
{
	struct verdict *verdict = &report->verdict;
	gpus_tell(report, verdict->text, sizeof(verdict->text));
	size_t used = strlen(verdict->text);
	if (report_waits_for_data(report) && verdict->class != VERDICT_IO)
		snprintf(verdict->text + used, sizeof(verdict->text) - used,
			"; the host also waits for data for %.1f %% of a step (limit %g %%)%s",
			report->reader_pct, report_limit(report, THRESHOLD_IO),
			hidden && !report->model->alone && works_meanwhile(report)
				? ", hidden behind the GPU's work for now"
				: "");
	used = strlen(verdict->text);
	if (mostly_measured(report) && !report->busy_measured)
		snprintf(verdict->text + used, sizeof(verdict->text) - used,
			"; the GPU's times were measured for %.1f %% of the run",
			report->measured_pct);
}

void verdict_decide(struct report *report)
{
	const struct health *health = &report->health;
	if (health->status == HEALTH_BAD) {
		refuse(report,
			health->reason_count > 0 ? health->reasons[0] : "the trace is not sound");
		return;
	}
	if (report->busy_pct < 0) { /* REPORT_UNKNOWN_PCT */
		refuse(report, "no time was recorded between the ends of the steps");
		return;
	}
	/* a slow loader behind a busy device costs nothing yet */
	bool hidden =
		report_cause_pct(report, CAUSE_IDLE_INPUT) <= report_limit(report, THRESHOLD_IO);
	if (report->model->alone)
		decide_alone(report);
	else if (!hidden && !outweighed(report))
		decide_io(report);
	else
		decide_by_busy(report);
	add_beside(report, hidden);
	confidence_judge(report);
}
