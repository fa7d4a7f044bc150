/* SPDX-License-Identifier: MIT */
/* What needs no change, said so that nobody looks for it. */
#include <string.h>

#include "analyzer/report/rules/evidence.h"

/* A wait for which the GPU idles for less than this share of a step, and that gains as little. */
#define BENIGN_PCT 1.0
#define NAMED      4u

static bool is_benign(const struct report *report, const struct finding *finding)
{
	uint64_t exposed_ns = finding->exposed_ns;
	return strncmp(finding->rule->name, "sync-", 5) == 0 && finding->part_of == NULL &&
	       finding->spot != 0 && finding->gain_pct >= 0 && finding->gain_pct < BENIGN_PCT &&
	       report_share(exposed_ns * report->steps.steady, report->accounted_ns) < BENIGN_PCT;
}

/* The lines have been looked at before the run as a whole is. */
bool rule_sync_benign(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	unsigned count = 0;
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *line = &report->findings[i];
		if (!is_benign(report, line))
			continue;
		if (count++ < NAMED)
			evidence_add(finding, "%s%.60s", count > 1 ? ", " : "", line->where);
	}
	if (count > NAMED)
		evidence_add(finding, " and %u more", count - NAMED);
	evidence_add(finding, ": the GPU idles for less than %g %% of a step because of %s",
		BENIGN_PCT, count > 1 ? "each of them" : "it");
	return count > 0;
}
