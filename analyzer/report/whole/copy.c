/* SPDX-License-Identifier: MIT */
/* Copies and sets of the run. */
#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

#define COPIES_LEAST 10u
/* Something happens in every step, or nearly. */
#define OFTEN 0.8

static bool is_often(const struct report *report, uint64_t count)
{
	return report->steps.recorded > 0 &&
	       (double)count >= OFTEN * (double)report->steps.recorded;
}

bool rule_copy_low_bandwidth(const struct subject *subject, struct finding *finding)
{
	static const char *const directions[] = {"to the GPU", "from the GPU"};
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	double limit = report_limit(report, THRESHOLD_COPY_RATE);
	for (unsigned i = 0; i < 2 && facts != NULL; i++) {
		const struct fact_copies *pinned = &facts->copies[i][1];
		if (pinned->count < COPIES_LEAST || pinned->ns == 0)
			continue;
		double mean = (double)pinned->bytes / (double)pinned->ns;
		if (100 * mean >= limit * pinned->best)
			continue;
		evidence_add(finding,
			"%llu large copies %s from or to pinned memory run at %.3g GB/s in the "
			"mean; the best reached %.3g GB/s (limit %g %% of that)",
			(unsigned long long)pinned->count, directions[i], mean, pinned->best,
			limit);
		return true;
	}
	return false;
}

bool rule_copy_filled(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL)
		return false;
	const struct fact_place *copies = &facts->filled_copies;
	double factor = bare_factor(&report->model->bare);
	if (!is_often(report, (uint64_t)(factor * (double)copies->count + 0.5)))
		return false;
	place_of_id(report, fact_winner(&copies->place, copies->count), PLACE_LOOP, finding);
	evidence_add(finding,
		"%llu copies to the GPU in %llu steps come right after the host filled a tensor "
		"with one value; %llu bytes in all",
		(unsigned long long)(factor * (double)copies->count + 0.5),
		(unsigned long long)report->steps.recorded,
		(unsigned long long)(factor * (double)copies->bytes + 0.5));
	return true;
}

bool rule_sync_memset(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	char took[32];
	if (facts == NULL || !is_often(report, facts->held_sets.count))
		return false;
	const struct fact_place *sets = &facts->held_sets;
	place_of_id(report, fact_winner(&sets->place, sets->count), PLACE_LOOP, finding);
	finding->calls_per_step = (double)sets->count / (double)report->steps.recorded;
	evidence_add(finding,
		"%llu sets of page-locked or managed memory in %llu steps held the host for %s",
		(unsigned long long)sets->count, (unsigned long long)report->steps.recorded,
		report_duration(sets->ns, took, sizeof(took)));
	return true;
}
