/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/subjects.h"

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

/* Host time in calls that allocate or free, of threads that launch. */
static uint64_t alloc_ns(const struct report *report)
{
	return report->swept[SWEEP_PIECES + PIECE_ALLOC];
}

static double alloc_pct(const struct report *report)
{
	return report_share(alloc_ns(report), report->accounted_ns);
}

void alloc_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	char host[32], exposed[32];
	finding->calls_per_step = report_per_step(report, report->counted[MODEL_ALLOCS]);
	finding->host_ns = report_ns_per_step(report, alloc_ns(report));
	finding->exposed_ns = report_ns_per_step(report, report->swept[CAUSE_IDLE_ALLOC]);
	place_of_loop(finding);
	evidence_add(finding,
		"%.1f calls per step allocate or free memory; the host is in them for %s per step, "
		"%.1f %% of it (limit %g %%), and meanwhile the GPU idles for %s",
		finding->calls_per_step, report_duration(finding->host_ns, host, sizeof(host)),
		alloc_pct(report), report_limit(report, THRESHOLD_ALLOC),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
	evidence_end(report, finding);
}

bool rule_alloc_churn(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	(void)finding;
	return alloc_pct(report) >= report_limit(report, THRESHOLD_ALLOC);
}
