/* SPDX-License-Identifier: MIT */
/* The queues between the loop and the workers of its loader. */
#include <math.h>
#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/subjects.h"
#include "analyzer/report/whole/pool.h"

#define ASKS_LEAST 20u
/* So few asks may find their batch missing where batches lie ready. */
#define MISSING_PCT 5.0
/* Of the waits, what has to be explained by what is said of them. */
#define MOST_PCT 70.0
/* The slowest worker takes so many times what the next one does. */
#define SLOW_TIMES 1.5

bool rule_input_taking(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct depth *depth = &report->workers.depth;
	double all_ns = (double)report_ns_per_step(report, report->reader_ns);
	double loads = report_per_step(report, report->counted[MODEL_LOADS]);
	double missing_pct = report_share(depth->missing, depth->asks);
	struct code_making making;
	char took[32];
	if (!pool_has_workers(report) || depth->asks < ASKS_LEAST || missing_pct > MISSING_PCT ||
		pool_hands_over(report) || code_makes_batches(report, &making) ||
		100 * depth->take_ns * loads < MOST_PCT * all_ns ||
		report->reader_pct <= report_limit(report, THRESHOLD_IO))
		return false;
	evidence_add(finding,
		"; of %llu times that the loop asked, its batch lay ready %.0f %%, and %.1f "
		"batches on average: to take one takes %s",
		(unsigned long long)depth->asks, 100 - missing_pct, depth->ready,
		report_duration((uint64_t)depth->take_ns, took, sizeof(took)));
	/* who has a thread that takes them need not be told to have one */
	if (report->facts != NULL && report->facts->pin.samples > 0)
		snprintf(finding->advice, sizeof(finding->advice),
			"More workers would not help: the thread that takes batches and pins them "
			"does not keep up. Let a batch be few large tensors, and a pin_memory() "
			"of the program's own do little; what it does in Python also holds up "
			"the loop.");
	return true;
}

/* More of the same workers would not mend it: they have nothing to do meanwhile. */
bool rule_input_uneven(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct depth *depth = &report->workers.depth;
	double limit = report_limit(report, THRESHOLD_IO);
	char average[32], longest[32], step[32];
	if (!pool_has_workers(report) || depth->asks < ASKS_LEAST || depth->prefetch == 0 ||
		report->steps.steady == 0 ||
		depth->now_ns - depth->then_ns < limit / 100 * depth->now_ns)
		return false;
	double loads = report_per_step(report, report->counted[MODEL_LOADS]);
	double mean_ns = (double)report->steps.mean_ns;
	double step_ns =
		fmax(mean_ns - loads * (depth->now_ns - depth->then_ns), pool_device_ns(report));
	if (mean_ns - step_ns < limit / 100 * mean_ns)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"of %llu times that the loop asked, %.0f %% did not find the batch whose turn it "
		"was, but %.1f batches lay ready on average; a batch takes a worker %s, the "
		"longest %s; %u workers were asked for %u batches ahead (prefetch_factor %u)",
		(unsigned long long)depth->asks, report_share(depth->missing, depth->asks),
		depth->ready,
		report_duration((uint64_t)depth->average_ns, average, sizeof(average)),
		report_duration((uint64_t)depth->longest_ns, longest, sizeof(longest)),
		depth->workers, depth->most, depth->most / depth->workers);
	report_duration(step_ns > 0 ? (uint64_t)step_ns : 0, step, sizeof(step));
	evidence_add(finding, ": with prefetch_factor %u a step would take %s%s", depth->prefetch,
		pool_is_crowded(report) ? "no less than " : "", step);
	return true;
}

/* Batches are taken in turn: as fast as the slowest makes one, each gives one. */
bool rule_input_worker_slow(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct depth *depth = &report->workers.depth;
	char slow[32], others[32], turn[32], even[32];
	if (!pool_has_workers(report) || depth->asks < ASKS_LEAST || depth->workers < 2 ||
		depth->slow_ns < SLOW_TIMES * depth->others_ns ||
		report_share(depth->missing, depth->asks) <= MISSING_PCT)
		return false;
	double turn_ns = depth->slow_ns / depth->workers;
	double even_ns = depth->even_ns / depth->workers;
	double loads = report_per_step(report, report->counted[MODEL_LOADS]);
	/* else it is not what sets the pace */
	if (turn_ns * loads < MOST_PCT / 100 * (double)report->steps.mean_ns)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"a batch takes one of the %u workers %s, each other one at most %s (medians), and "
		"batches are taken in turn: the loop gets one every %s, and while it waits for "
		"that worker %.1f batches of others lie ready on average; were the work dealt out "
		"evenly, there would be one every %s",
		depth->workers, report_duration((uint64_t)depth->slow_ns, slow, sizeof(slow)),
		report_duration((uint64_t)depth->others_ns, others, sizeof(others)),
		report_duration((uint64_t)turn_ns, turn, sizeof(turn)), depth->ready,
		report_duration((uint64_t)even_ns, even, sizeof(even)));
	return true;
}
