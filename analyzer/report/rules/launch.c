/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/subjects.h"

#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

/* The lines that take the host most time to launch. */
#define TOPS 3u

struct top {
	uint32_t spot;
	uint64_t ns;
};

static bool is_launch(const struct spot *spot, bool native)
{
	return spot->kind == SPOT_LAUNCH && spot->native == native;
}

static uint64_t ns_of(const struct report *report, uint32_t spot)
{
	struct spot_sums sums = report_spot(report, spot);
	return sums.counted[SPOT_HOST_NS] + sums.counted[SPOT_BEHIND_NS];
}

/* Of the script, or of native code where there is no script. */
static unsigned find_tops_in(const struct report *report, bool native, struct top *ret_tops)
{
	const struct spots *spots = report->model->spots;
	unsigned count = 0;
	for (uint32_t spot = 1; spot < spots->count; spot++) {
		uint64_t ns = is_launch(&spots->items[spot], native) ? ns_of(report, spot) : 0;
		unsigned at = count;
		if (ns == 0)
			continue;
		for (; at > 0 && ret_tops[at - 1].ns < ns; at--)
			if (at < TOPS)
				ret_tops[at] = ret_tops[at - 1];
		if (at < TOPS)
			ret_tops[at] = (struct top){spot, ns};
		count += count < TOPS;
	}
	return count;
}

static unsigned find_tops(const struct report *report, struct top *ret_tops)
{
	unsigned count = find_tops_in(report, false, ret_tops);
	return count > 0 ? count : find_tops_in(report, true, ret_tops);
}

static void add_tops(const struct report *report, const struct top *tops, unsigned count,
	struct finding *finding)
{
	uint64_t launch_ns = report->swept[SWEEP_PIECES + PIECE_LAUNCH];
	for (unsigned i = 0; i < count && launch_ns > 0; i++) {
		struct finding line = {.op = NULL};
		uint64_t ns = tops[i].ns < launch_ns ? tops[i].ns : launch_ns;
		place_of_launches(report, tops[i].spot, &line);
		evidence_add(finding, "%s%s %.0f %%", i == 0 ? "; of that at " : ", ", line.where,
			report_share(ns, launch_ns));
	}
}

void launch_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	uint64_t launches = report->counted[MODEL_LAUNCHES];
	uint64_t launch_ns = report->swept[SWEEP_PIECES + PIECE_LAUNCH];
	char host[32], exposed[32], each[32];
	finding->calls_per_step = report_per_step(report, launches);
	finding->host_ns = report_ns_per_step(report, launch_ns);
	finding->exposed_ns = report_ns_per_step(report, report->swept[CAUSE_IDLE_LAUNCH]);
	struct top tops[TOPS] = {{0}};
	unsigned top_count = find_tops(report, tops);
	place_of_launches(report, tops[0].spot, finding);
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
	add_tops(report, tops, top_count, finding);
	evidence_end(report, finding);
}

bool rule_launch_bound(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	if (report->counted[MODEL_GRAPHS] > 0)
		snprintf(finding->advice, sizeof(finding->advice),
			"Graphs are replayed already: capture more of the step in each of them, or "
			"give the GPU more to do with larger batches.");
	return report->counted[MODEL_LAUNCHES] > 0 &&
	       report_cause_pct(report, CAUSE_IDLE_LAUNCH) >=
		       report_limit(report, THRESHOLD_LAUNCH) &&
	       report->busy_low_pct <= report_limit(report, THRESHOLD_CPU);
}
