/* SPDX-License-Identifier: MIT */
/* Pauses that Python makes by itself: collections, and waits for its lock. */
#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/rules/subjects.h"

/* Fewer than that are not 0.0. */
#define RARE_PER_STEP 0.1

/* Time of the steady steps at a line: of the host, or in which the GPU idled because of it. */
static uint64_t cost_of(const struct report *report, const struct spot *spot, bool exposed)
{
	const struct steps_summary *steps = &report->steps;
	uint64_t counted[SPOT_VALUE_COUNT], found[SPOT_FINDING_COUNT];
	series_sum(&spot->counted, steps->first, steps->until, counted);
	series_sum(&spot->found, steps->first, steps->until, found);
	return exposed ? found[SPOT_EXPOSED_NS] : counted[SPOT_HOST_NS];
}

/*
 * The line that costs most; NULL: none does. A backward thread has no line of its own, but mostly
 * some of the script have the same trouble.
 */
static const struct spot *find_line(
	const struct report *report, enum spot_kind kind, bool exposed, double *ret_share)
{
	const struct spots *spots = report->model->spots;
	const struct spot *line = NULL;
	uint64_t most = 0, all = 0;
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *spot = &spots->items[i];
		uint64_t ns = spot->kind == kind ? cost_of(report, spot, exposed) : 0;
		all += ns;
		if (ns <= most || spot->file == 0)
			continue;
		most = ns;
		line = spot;
	}
	*ret_share = report_share(most, all);
	return line;
}

/* Numbers and place of what takes the host's time as pieces of a kind. */
static void describe(const struct report *report, enum piece_kind kind, enum cause cause,
	uint64_t count, struct finding *finding)
{
	struct subject line = {.report = report};
	double share;
	finding->calls_per_step = report_per_step(report, count);
	finding->host_ns = report_ns_per_step(report, report->swept[SWEEP_PIECES + kind]);
	finding->exposed_ns = report_ns_per_step(report, report->swept[cause]);
	enum spot_kind spots = kind == PIECE_GC ? SPOT_COLLECTION : SPOT_LOCK;
	line.spot = find_line(report, spots, true, &share);
	if (line.spot == NULL)
		line.spot = find_line(report, spots, false, &share);
	if (line.spot == NULL) {
		place_of_loop(finding);
		return;
	}
	place_of_line(&line, finding);
	finding->spot = spot_index(report->model->spots, line.spot);
	finding->op = NULL;
	evidence_add(finding, "%.0f %% of that time at this line: ", share);
}

static double share_of(const struct report *report, enum piece_kind kind)
{
	return report_share(report->swept[SWEEP_PIECES + kind], report->accounted_ns);
}

void gc_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const uint64_t *counted = report->counted;
	uint64_t count = counted[MODEL_COLLECTIONS];
	char host[32], mean[32], longest[32];
	describe(report, PIECE_GC, CAUSE_IDLE_GC, count, finding);
	evidence_add(finding, "%.*f collections per step, %.2f",
		finding->calls_per_step >= RARE_PER_STEP ? 1 : 3, finding->calls_per_step,
		report_per_step(report, counted[MODEL_FULL_COLLECTIONS]));
	evidence_add(finding, " of them of all generations, take %s each",
		report_duration(
			count > 0 ? counted[MODEL_COLLECTION_NS] / count : 0, mean, sizeof(mean)));
	/* one of the warm-up may have been longer: it is none of these */
	if (report->model->collection_longest_ns <= counted[MODEL_COLLECTION_NS])
		evidence_add(finding, " and at most %s",
			report_duration(
				report->model->collection_longest_ns, longest, sizeof(longest)));
	evidence_add(finding, "; the host is in them for %s per step, %.1f %% of it (limit %g %%)",
		report_duration(finding->host_ns, host, sizeof(host)), share_of(report, PIECE_GC),
		report_limit(report, THRESHOLD_GC));
	evidence_meanwhile(report, ", and meanwhile", finding);
	evidence_end(report, finding);
}

/* Who held the lock, with the share of those that are known. */
static void tell_holder(const struct report *report, struct finding *finding)
{
	const struct model_holder *holders = report->model->holders, *most = &holders[0];
	uint64_t all = 0;
	for (unsigned i = 0; i < MODEL_HOLDERS; i++) {
		all += holders[i].ns;
		if (holders[i].ns > most->ns)
			most = &holders[i];
	}
	if (most->tid != 0)
		evidence_add(finding, "; thread %u held it for %.0f %% of that", most->tid,
			report_share(most->ns, all));
}

void gil_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	char host[32];
	describe(report, PIECE_GIL, CAUSE_IDLE_GIL, report->counted[MODEL_GIL_WAITS], finding);
	evidence_add(finding,
		"the host waits %.1f times per step, for %s of it, %.1f %% (limit %g %%)",
		finding->calls_per_step, report_duration(finding->host_ns, host, sizeof(host)),
		share_of(report, PIECE_GIL), report_limit(report, THRESHOLD_GIL));
	evidence_meanwhile(report, ", and meanwhile", finding);
	tell_holder(report, finding);
	evidence_end(report, finding);
}

bool rule_host_gc(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return share_of(subject->report, PIECE_GC) >= report_limit(subject->report, THRESHOLD_GC);
}

bool rule_host_gil(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return share_of(subject->report, PIECE_GIL) >= report_limit(subject->report, THRESHOLD_GIL);
}
