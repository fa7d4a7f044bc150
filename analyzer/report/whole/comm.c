/* SPDX-License-Identifier: MIT */
/* Several devices. */
#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

/* For so long a step would not go on without the rank that comes last. */
static uint64_t wait_ns(const struct report *report, uint64_t sum_ns)
{
	uint64_t exposed_ns = report->account[CAUSE_DEVICE_COMM].ns_per_step;
	uint64_t steps = report->peer.late.steps, ns = steps > 0 ? sum_ns / steps : 0;
	return ns < exposed_ns ? ns : exposed_ns;
}

/* No rank is the late one: this one is waited for as well, or several others are. */
static bool waits_in_turn(const struct late *late)
{
	return 2 * late->ns < late->waited_ns ||
	       (2 * late->own_ns >= late->ns && 2 * late->ns >= late->own_ns);
}

bool rule_comm_late_rank(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct late *late = &report->peer.late;
	uint64_t mean_ns = report->steps.mean_ns, gain_ns = wait_ns(report, late->next_ns);
	double pct = report_peer_pct(report);
	char took[32];
	if (late->count == 0 || pct < report_limit(report, THRESHOLD_LATE))
		return false;
	finding->predicted_ns = mean_ns - gain_ns;
	finding->gain_pct = 100 * (double)gain_ns / (double)mean_ns;
	finding->severity =
		pct >= report_limit(report, THRESHOLD_GAIN_HIGH) ? SEVERITY_HIGH : SEVERITY_MEDIUM;
	evidence_add(finding,
		"rank %u comes last to %llu of %llu collectives; this rank waits for it for %s of "
		"a step, %.1f %% (limit %g %%; %llu steps)",
		late->rank, (unsigned long long)late->count, (unsigned long long)late->met,
		report_duration(wait_ns(report, late->ns), took, sizeof(took)), pct,
		report_limit(report, THRESHOLD_LATE), (unsigned long long)late->steps);
	if (waits_in_turn(late)) {
		evidence_add(finding, "; this one comes last to %llu, they wait in turn",
			(unsigned long long)late->own_count);
		finding->severity = SEVERITY_MEDIUM;
		snprintf(finding->advice, sizeof(finding->advice),
			"No rank is the late one: give them batches that cost the same (lengths, "
			"number), and processors enough; what stops a rank now and then (saving, "
			"logging, collecting garbage) stops all.");
		return true;
	}
	if (report->peer.words[0] != '\0')
		evidence_add(finding, "; rank %u itself: %s", late->rank, report->peer.words);
	snprintf(finding->advice, sizeof(finding->advice),
		"Mend what holds up rank %u (report --ranks %u) before anything here: what is "
		"gained on this rank alone, it waits longer for that one.",
		late->rank, late->rank);
	return true;
}

bool rule_comm_awaited(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct late *late = &report->peer.late;
	char took[32];
	uint64_t ns = late->steps > 0 ? late->own_ns / late->steps : 0;
	double pct = report_share(ns, report->steps.mean_ns);
	if (late->own_count == 0 || pct < report_limit(report, THRESHOLD_LATE) ||
		(late->count > 0 && waits_in_turn(late)))
		return false;
	evidence_add(finding,
		"this rank comes last to %llu of %llu collectives; the others wait for it for at "
		"least %s of a step, %.1f %% (limit %g %%; %llu steps)",
		(unsigned long long)late->own_count, (unsigned long long)late->met,
		report_duration(ns, took, sizeof(took)), pct, report_limit(report, THRESHOLD_LATE),
		(unsigned long long)late->steps);
	finding->severity = SEVERITY_MEDIUM;
	return true;
}

bool rule_comm_exposed(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	double waits = report_peer_pct(report);
	double share = report_cause_pct(report, CAUSE_DEVICE_COMM) - waits;
	char took[32];
	uint64_t ns = report->account[CAUSE_DEVICE_COMM].ns_per_step;
	ns -= wait_ns(report, report->peer.late.ns);
	evidence_add(finding,
		"the GPU does nothing but communicate for %s of a step, %.1f %% (limit "
		"%g %%)",
		report_duration(ns, took, sizeof(took)), share,
		report_limit(report, THRESHOLD_COMM));
	if (waits > 0)
		evidence_add(finding, "; %.1f %% more is waiting for rank %u", waits,
			report->peer.late.rank);
	if (share <= report_limit(report, THRESHOLD_COMM))
		return false;
	finding->severity = SEVERITY_MEDIUM;
	return true;
}

bool rule_comm_data_parallel(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	int devices = __builtin_popcountll(report->model->devices);
	if (facts == NULL || facts->parallel_forwards == 0 || devices < 2)
		return false;
	evidence_add(finding, "torch.nn.DataParallel ran %llu times; %d devices are in use",
		(unsigned long long)facts->parallel_forwards, devices);
	return true;
}

bool rule_comm_sync_norms(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || report->steps.recorded == 0)
		return false;
	double norms = bare_factor(&report->model->bare) * (double)facts->sync_norms /
		       (double)report->steps.recorded;
	finding->calls_per_step = norms;
	evidence_add(finding, "%.1f synchronised batch norms per step (limit %g)", norms,
		report_limit(report, THRESHOLD_SYNC_NORMS));
	return norms > report_limit(report, THRESHOLD_SYNC_NORMS);
}

bool rule_comm_unused_parameters(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	char each[32];
	if (facts == NULL || facts->searches == 0)
		return false;
	double searches = bare_factor(&report->model->bare) * (double)facts->searches;
	if (2 * searches < (double)report->steps.count)
		return false;
	place_of_id(report, fact_winner(&facts->distributed_place, facts->distributed_forwards),
		PLACE_LOOP, finding);
	evidence_add(finding,
		"DistributedDataParallel looked %.0f times in %llu steps, for %s each (mean)",
		searches, (unsigned long long)report->steps.count,
		report_duration(facts->searches_ns / facts->searches, each, sizeof(each)));
	return report->steps.count > 0;
}
