/* SPDX-License-Identifier: MIT */
/* Several devices. */
#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

bool rule_comm_exposed(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	double share = report_cause_pct(report, CAUSE_DEVICE_COMM);
	char took[32];
	evidence_add(finding,
		"the GPU does nothing but communicate for %s of a step, %.1f %% (limit "
		"%g %%)",
		report_duration(report->account[CAUSE_DEVICE_COMM].ns_per_step, took, sizeof(took)),
		share, report_limit(report, THRESHOLD_COMM));
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
