/* SPDX-License-Identifier: MIT */
/* Memory of the device that the process has asked the driver for; a framework hands it out. */
#include "analyzer/report/rules/evidence.h"

#define MIB (1024.0 * 1024.0)
/* Growth is told of a run of so many steps, of so many bytes at least. */
#define GROWTH_STEPS 30u
#define GROWTH_LEAST (64.0 * MIB)

/* Percent of the device's memory at the peak; REPORT_UNKNOWN_PCT. */
static double peak_pct(const struct facts *facts)
{
	if (facts == NULL || facts->reserved_peak == 0)
		return REPORT_UNKNOWN_PCT;
	return report_share(facts->reserved_peak, facts->gpu.memory_bytes);
}

static void tell_peak(const struct facts *facts, struct finding *finding)
{
	evidence_add(finding, "at most %.0f MiB of the device's %.0f MiB are asked for (%.0f %%)",
		(double)facts->reserved_peak / MIB, (double)facts->gpu.memory_bytes / MIB,
		peak_pct(facts));
}

bool rule_memory_full(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	if (peak_pct(report->facts) <= report_limit(report, THRESHOLD_MEMORY_FULL))
		return false;
	tell_peak(report->facts, finding);
	return true;
}

bool rule_memory_spare(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	double peak = peak_pct(report->facts);
	enum cause second, first = report_largest_idle(report, &second);
	/* a larger batch helps where the host is not fast enough at launching */
	if (peak < 0 || peak >= report_limit(report, THRESHOLD_MEMORY_SPARE) ||
		report->busy_high_pct >= report_limit(report, THRESHOLD_CPU) ||
		first != CAUSE_IDLE_LAUNCH)
		return false;
	tell_peak(report->facts, finding);
	return true;
}

bool rule_memory_growth(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->reserved_first == 0 || facts->optimizers < GROWTH_STEPS ||
		facts->reserved <= facts->reserved_first)
		return false;
	uint64_t more = facts->reserved - facts->reserved_first;
	double pct = report_share(more, facts->reserved_first);
	evidence_add(finding,
		"%.0f MiB were asked for when the first steps had ended, %.0f MiB %llu steps later "
		"(%.0f %% more, limit %g %%)",
		(double)facts->reserved_first / MIB, (double)facts->reserved / MIB,
		(unsigned long long)(facts->optimizers - FACTS_SETTLED), pct,
		report_limit(report, THRESHOLD_MEMORY_GROWTH));
	return pct >= report_limit(report, THRESHOLD_MEMORY_GROWTH) && (double)more >= GROWTH_LEAST;
}
