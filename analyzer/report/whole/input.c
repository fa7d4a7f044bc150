/* SPDX-License-Identifier: MIT */
/* The loader, its workers and its files. */
#include "analyzer/report/rules/evidence.h"

/* A load that takes so many times the median is a long one. */
#define LONG_TIMES 10u
/* Long loads have most of the time, and are few. */
#define LONG_SHARE_PCT 70.0
#define LONG_MANY      10u
#define LOADS_LEAST    20u
#define READS_LEAST    10u

static bool has_workers(const struct report *report)
{
	const struct spot *spot = &report->model->spots->items[report_input_spot(report)];
	return spot->kind == SPOT_LOAD && (spot->op_class & OPCLASS_IN_PROCESS) == 0 &&
	       report->workers.count > 0;
}

bool rule_input_first_batch(const struct subject *subject, struct finding *finding)
{
	struct facts *facts = subject->report->facts;
	const uint64_t *loads;
	if (facts == NULL || facts->loads < LOADS_LEAST)
		return false;
	size_t count = facts_loads(facts, &loads), first = count;
	uint64_t median_ns = loads[count / 2], sum = 0, all = 0;
	char took[32], median[32];
	while (first > 0 && loads[first - 1] > LONG_TIMES * (median_ns + 1))
		sum += loads[--first];
	for (size_t i = 0; i < count; i++)
		all += loads[i];
	size_t few = count - first;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%zu of %zu loads took %s, %.0f %% of all waiting; the others %s each (median)",
		few, count, report_duration(sum, took, sizeof(took)), report_share(sum, all),
		report_duration(median_ns, median, sizeof(median)));
	return few > 1 && few * LONG_MANY <= count && report_share(sum, all) >= LONG_SHARE_PCT;
}

bool rule_input_workers_saturated(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct report_workers *workers = &report->workers;
	double limit = report_limit(report, THRESHOLD_WORKERS);
	if (!has_workers(report) || workers->busy_least_pct < limit)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%u worker processes at a time, each on a processor for %.0f to %.0f %% of it "
		"(limit %g %%)",
		workers->count, workers->busy_least_pct, workers->busy_most_pct, limit);
	return true;
}

bool rule_input_too_many_workers(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct report_workers *workers = &report->workers;
	if (!has_workers(report) || workers->processors == 0 ||
		workers->count <= workers->processors)
		return false;
	evidence_add(finding, "%u worker processes at a time share %llu processors", workers->count,
		(unsigned long long)workers->processors);
	return true;
}

bool rule_input_small_reads(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || report->steps.count == 0 ||
		facts->reads < READS_LEAST * report->steps.count ||
		2 * facts->small_reads <= facts->reads)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%.1f reads of files per step that take long enough to be recorded, %llu bytes "
		"each; %.0f %% of them are of less than 64 KB",
		(double)facts->reads / (double)report->steps.count,
		(unsigned long long)(facts->read_bytes / facts->reads),
		report_share(facts->small_reads, facts->reads));
	return true;
}
