/* SPDX-License-Identifier: MIT */
/*
 * Rules for lines that copy to the GPU, or from it without blocking the host. Many small
 * copies are their own trouble; of the others, those that block the host differ by what
 * would help, and those that do not are a finding only when that costs something.
 */
#include <math.h>
#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/predict.h"
#include "analyzer/report/rules/subjects.h"

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
static bool is_of_batch(const struct subject *subject)
{
	uint64_t loads = subject->report->counted[MODEL_LOADS];
	return loads > 0 && blocks(subject) && is_held_by_memory(subject) && is_large(subject) &&
	       calls(subject) >= loads / 2 && calls(subject) <= 4 * loads;
}

/* Most batches come from a loader without workers, which has no thread that could pin them. */
static bool has_no_workers(const struct report *report)
{
	uint64_t own = 0, all = 0;
	for (uint32_t i = 1; i < report->model->spots->count; i++) {
		const struct spot *spot = &report->model->spots->items[i];
		uint64_t loads = report_spot(report, i).counted[SPOT_CALLS];
		if (spot->kind != SPOT_LOAD)
			continue;
		all += loads;
		own += (spot->op_class & OPCLASS_IN_PROCESS) != 0 ? loads : 0;
	}
	return 2 * own > all;
}

/* Of the time that the loop waits for batches: in which they lay ready, and it took them. */
static double share_of_taking(const struct report *report)
{
	const struct depth *depth = &report->workers.depth;
	double loads = report_per_step(report, report->counted[MODEL_LOADS]);
	double all_ns = (double)report_ns_per_step(report, report->reader_ns);
	if (depth->asks == 0 || all_ns <= 0)
		return 0;
	double ready = (double)(depth->asks - depth->missing) / (double)depth->asks;
	return fmin(1, ready * loads * depth->take_ns / all_ns);
}

/*
 * All such lines at once, as the loader would pin for all of them. The thread that pins takes the
 * batches from the workers too, which the loop does not then.
 */
static void predict_pinned(const struct report *report, struct finding *finding)
{
	struct mended mended = {.any = true};
	struct subject line;
	uint64_t step_ns, taken_ns;
	char host[32], step[32];
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++)
		if (line_look(report, spot, &line) && is_of_batch(&line))
			line_remove(report, spot, mended.pinned);
	(void)predict_gain(report, &mended, &step_ns);
	(void)predict_mend_cause(&mended, report, CAUSE_IDLE_INPUT);
	(void)predict_gain(report, &mended, &taken_ns);
	if (taken_ns < step_ns)
		step_ns -= (uint64_t)(share_of_taking(report) * (double)(step_ns - taken_ns));
	evidence_add(finding,
		"; they hold the host for %s per step; if a thread took and pinned them beside the "
		"training, and the copy did not wait, a step would take no less than %s",
		report_duration(finding->host_ns, host, sizeof(host)),
		report_duration(step_ns, step, sizeof(step)));
}

/* In words of PyTorch's. */
static void advise(const struct report *report, struct finding *finding, const char *advice)
{
	const struct facts *facts = report->facts;
	bool is_torch = facts == NULL || facts->framework == 0 || facts->framework == OP_TORCH;
	if (is_torch && finding->advice[0] == '\0')
		snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
}

bool rule_input_pin_missing(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	if (!is_of_batch(subject))
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%.1f copies for each batch of the loader, from pageable memory, %.3g MB each",
		(double)calls(subject) / (double)report->counted[MODEL_LOADS],
		(double)subject->counted[SPOT_BYTES] / (double)calls(subject) / 1e6);
	if (report->facts != NULL && report->facts->pin.samples > 0) {
		evidence_add(finding, ", though the program has a loader whose thread pins");
		advise(report, finding,
			"If this is the loader with pin_memory=True: that pins tensors, and those "
			"in tuples, lists and dicts; a batch of a class of your own needs a method "
			"pin_memory(). What the loop makes from a batch is not pinned: copy first, "
			"and compute on the GPU.");
	} else if (has_no_workers(report)) {
		evidence_add(
			finding, "; the loader has no workers, so the loop's own thread would pin");
		advise(report, finding,
			"First give the DataLoader workers (num_workers > 0): with pin_memory=True "
			"a thread then pins beside the loop; then non_blocking=True.");
	}
	predict_pinned(report, finding);
	return true;
}
