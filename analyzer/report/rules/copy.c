/* SPDX-License-Identifier: MIT */
/*
 * Rules for lines that copy to the GPU, or from it without blocking the host. Many small
 * copies are their own trouble; of the others, those that block the host differ by what
 * would help, and those that do not are a finding only when that costs something.
 */
#include "analyzer/report/rules/evidence.h"

static uint64_t calls(const struct subject *subject)
{
	return subject->counted[SPOT_CALLS];
}

static bool is_large(const struct subject *subject)
{
	double small = report_limit(subject->report, THRESHOLD_COPY_SMALL) * 1024;
	return (double)subject->counted[SPOT_BYTES] / (double)calls(subject) > small;
}

static bool are_many(const struct subject *subject)
{
	const struct report *report = subject->report;
	return !is_large(subject) &&
	       report_per_step(report, calls(subject)) > report_limit(report, THRESHOLD_COPY_MANY);
}

static bool blocks(const struct subject *subject)
{
	return subject->spot->kind == SPOT_COPY_IN;
}

/* Pinned memory helps: of a large synchronous copy the form of the call comes first. */
static bool is_held_by_memory(const struct subject *subject)
{
	bool pageable = 2 * subject->counted[SPOT_PAGEABLE] >= calls(subject);
	bool async = 2 * subject->counted[SPOT_ASYNC] >= calls(subject);
	return pageable && (async || !is_large(subject));
}

bool rule_copy_sync_large(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return blocks(subject) && !are_many(subject) && !is_held_by_memory(subject);
}

bool rule_copy_pageable_async(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return blocks(subject) && !are_many(subject) && is_held_by_memory(subject);
}

bool rule_copy_many_small(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	uint64_t cost_ns = subject->found[SPOT_EXPOSED_NS] + subject->counted[SPOT_HOST_NS];
	(void)finding;
	if (subject->spot->kind == SPOT_WAIT || !are_many(subject))
		return false;
	return blocks(subject) ||
	       report_share(cost_ns, report->accounted_ns) >= report_limit(report, THRESHOLD_GAIN);
}

bool rule_copy_not_overlapped(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	if (subject->spot->kind != SPOT_COPY_FREE || rule_copy_many_small(subject, finding))
		return false;
	return report_share(subject->found[SPOT_EXPOSED_NS], report->accounted_ns) >=
	       report_limit(report, THRESHOLD_COPY_EXPOSED);
}

/* A batch of a loader: about one such copy for each load, or a few. */
bool rule_input_pin_missing(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	uint64_t loads = report->counted[MODEL_LOADS];
	if (loads == 0 || !blocks(subject) || !is_held_by_memory(subject) || !is_large(subject) ||
		calls(subject) < loads / 2 || calls(subject) > 4 * loads)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "%.1f copies for each batch of the loader, from pageable memory",
		(double)calls(subject) / (double)loads);
	return true;
}
