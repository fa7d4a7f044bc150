/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/subjects.h"

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

void launch_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	uint64_t launches = report->counted[MODEL_LAUNCHES];
	uint64_t launch_ns = report->swept[SWEEP_PIECES + PIECE_LAUNCH];
	char host[32], exposed[32], each[32];
	finding->calls_per_step = report_per_step(report, launches);
	finding->host_ns = report_ns_per_step(report, launch_ns);
	finding->exposed_ns = report_ns_per_step(report, report->swept[CAUSE_IDLE_LAUNCH]);
	place_of_loop(finding);
	evidence_add(finding, "%.1f launches per step", finding->calls_per_step);
	if (report->counted[MODEL_GRAPHS] > 0)
		evidence_add(finding, " (%.1f of them of whole graphs)",
			report_per_step(report, report->counted[MODEL_GRAPHS]));
	evidence_add(finding,
		", taking %s of host time each; the host launches for %s per step, and meanwhile "
		"the GPU idles for %s",
		report_duration(launches > 0 ? launch_ns / launches : 0, each, sizeof(each)),
		report_duration(finding->host_ns, host, sizeof(host)),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
	evidence_end(report, finding);
}

bool rule_launch_bound(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	(void)finding;
	return report_cause_pct(report, CAUSE_IDLE_LAUNCH) >=
		       report_limit(report, THRESHOLD_LAUNCH) &&
	       report->busy_low_pct <= report_limit(report, THRESHOLD_CPU);
}
