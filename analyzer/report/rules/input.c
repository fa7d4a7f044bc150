/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/subjects.h"

#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

/* Samples of a thread that say what it does. */
#define SAMPLES_LEAST 40u

/* What the thread does that pins batches, once it is more than passing them on. */
static void tell_pin(const struct facts *facts, struct finding *finding)
{
	if (facts == NULL || facts->pin.samples < SAMPLES_LEAST)
		return;
	const struct pin *pin = &facts->pin;
	double starved = report_share(pin->starved, pin->samples);
	double full = report_share(pin->full, pin->samples);
	evidence_add(finding,
		"; the thread that pins batches waits for workers for %.0f %% of the time and for "
		"the loop for %.0f %%, and is busy for %.0f %%",
		starved, full, 100 - starved - full);
}

/* The loop's own thread runs code of the program there: a data set, or what picks its samples. */
static void tell_making(const struct report *report, struct finding *finding)
{
	const struct spot *spot = &report->model->spots->items[report_input_spot(report)];
	struct code_making making;
	if (!code_makes_batches(report, &making))
		return;
	evidence_add(finding,
		"; the loop's own thread is in %s meanwhile: %.0f %% of %llu samples of its stack, "
		"%.0f %% at %s",
		making.function, making.pct, (unsigned long long)making.all, making.line_pct,
		making.where);
	if (spot->kind == SPOT_LOAD && (spot->op_class & OPCLASS_IN_PROCESS) == 0)
		snprintf(finding->advice, sizeof(finding->advice),
			"More workers would not help: %.200s is run by the loop itself (a sampler, "
			"or what takes a batch apart). Do less there, or do it before the loop, or "
			"for many batches at a time.",
			making.where);
}

/* One after the other: more of the workers would only queue up for it. */
static void advise_on_lock(const struct report *report, struct finding *finding)
{
	if (report->workers.count == 0 || !pool_is_locked(&report->workers.pool) ||
		finding->advice[0] != '\0')
		return;
	snprintf(finding->advice, sizeof(finding->advice),
		"More workers would wait for the same lock, which lets in one process at a time: "
		"hold it for less (read under it, decode behind it), or let each worker open what "
		"it protects for itself.");
}

void input_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	char host[32];
	finding->host_ns = report_ns_per_step(report, report->reader_ns);
	finding->exposed_ns = report_ns_per_step(report, report->swept[CAUSE_IDLE_INPUT]);
	if (report->counted[MODEL_LOADS] > 0)
		finding->calls_per_step = report_per_step(report, report->counted[MODEL_LOADS]);
	place_of_input(subject, finding);
	evidence_add(finding,
		"the host waits for data for %s per step, %.1f %% of it (limit %g %%)",
		report_duration(finding->host_ns, host, sizeof(host)), report->reader_pct,
		report_limit(report, THRESHOLD_IO));
	evidence_meanwhile(report, "; because of that", finding);
	tell_pin(report->facts, finding);
	tell_making(report, finding);
	advise_on_lock(report, finding);
	evidence_end(report, finding);
}

bool rule_input_bound(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return report_waits_for_data(subject->report);
}
