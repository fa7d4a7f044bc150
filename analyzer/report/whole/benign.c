/* SPDX-License-Identifier: MIT */
/* What needs no change, said so that nobody looks for it. */
#include <string.h>

#include "analyzer/report/rules/evidence.h"

/* A wait for which the GPU idles for less than this share of a step, and that gains as little. */
#define BENIGN_PCT 1.0
#define NAMED      4u
#define WHERE_SIZE 100 /* four of them, and what is said of them, are a text */

static bool is_benign(const struct report *report, const struct finding *finding)
{
	uint64_t exposed_ns = finding->exposed_ns;
	return strncmp(finding->rule->name, "sync-", 5) == 0 && finding->part_of == NULL &&
	       finding->spot != 0 && finding->gain_pct >= 0 && finding->gain_pct < BENIGN_PCT &&
	       report_share(exposed_ns * report->steps.steady, report->accounted_ns) < BENIGN_PCT;
}

/* A place may have waits of several kinds. */
static bool is_named_before(const struct report *report, unsigned index)
{
	const struct finding *line = &report->findings[index];
	for (unsigned i = 0; i < index; i++)
		if (is_benign(report, &report->findings[i]) &&
			strcmp(report->findings[i].where, line->where) == 0)
			return true;
	return false;
}

/* The lines have been looked at before the run as a whole is. */
bool rule_sync_benign(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	unsigned count = 0;
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *line = &report->findings[i];
		if (!is_benign(report, line) || is_named_before(report, i))
			continue;
		if (count++ < NAMED)
			evidence_add(
				finding, "%s%.*s", count > 1 ? ", " : "", WHERE_SIZE, line->where);
	}
	if (count > NAMED)
		evidence_add(finding, " and %u more", count - NAMED);
	evidence_add(finding, ": the GPU idles for less than %g %% of a step because of %s",
		BENIGN_PCT, count > 1 ? "each of them" : "it");
	return count > 0;
}
