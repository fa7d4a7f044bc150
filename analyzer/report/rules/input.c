/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/subjects.h"

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

void input_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	char host[32], exposed[32];
	finding->host_ns = report_ns_per_step(report, report->reader_ns);
	finding->exposed_ns = report_ns_per_step(report, report->swept[CAUSE_IDLE_INPUT]);
	if (report->counted[MODEL_LOADS] > 0)
		finding->calls_per_step = report_per_step(report, report->counted[MODEL_LOADS]);
	place_of_input(subject, finding);
	evidence_add(finding,
		"the host waits for data for %s per step, %.1f %% of it (limit %g %%); because of "
		"that the GPU idles for %s",
		report_duration(finding->host_ns, host, sizeof(host)), report->reader_pct,
		report_limit(report, THRESHOLD_IO),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
	evidence_end(report, finding);
}

bool rule_input_bound(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return report_waits_for_data(subject->report);
}

bool rule_input_single_process(const struct subject *subject, struct finding *finding)
{
	const struct spot *spot = &subject->report->model->spots->items[finding->spot];
	if (spot->kind != SPOT_LOAD || (spot->op_class & OPCLASS_IN_PROCESS) == 0)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "the loader has no worker processes: the training loop stands still "
			      "while it makes each batch");
	return true;
}
