/* SPDX-License-Identifier: MIT */
/*
 * Rules for lines at which the host does what is none of the device's business: it is blocked
 * although no data comes from there, or runs an operator that launches nothing. And for the pauses
 * that Python makes by itself, which are one subject for the run: collections, and waits for its
 * lock.
 */
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/line.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/rules/subjects.h"
#include "collector/format/record.h"

bool host_look(const struct report *report, uint32_t spot, struct subject *ret_subject)
{
	const struct spot *found = &report->model->spots->items[spot];
	if (found->kind != SPOT_OPERATOR && found->kind != SPOT_BLOCKED)
		return false;
	struct spot_sums sums = report_spot(report, spot);
	if (sums.found[SPOT_LINE_NS] == 0 || report_feeds(report, spot))
		return false;
	*ret_subject = (struct subject){.report = report, .spot = found};
	memcpy(ret_subject->counted, sums.counted, sizeof(sums.counted));
	memcpy(ret_subject->found, sums.found, sizeof(sums.found));
	return true;
}

/* By what, for a sentence: the call, and what it is for. */
static void add_cause(const struct subject *subject, struct finding *finding)
{
	static const char *const whats[] = {
		[INPUT_UNKNOWN] = "something that is not known",
		[INPUT_READ] = "bytes that do not go to the GPU",
		[INPUT_POLL] = "a descriptor",
		[INPUT_LOCK] = "another thread",
		[INPUT_SLEEP] = "time to pass",
		[INPUT_CHILD] = "another process",
		[INPUT_WRITE] = "whoever reads what it writes",
		[INPUT_FLUSH] = "storage",
	};
	const struct spot *spot = subject->spot;
	const struct lookup *lookup = &subject->report->model->lookup;
	unsigned what = spot->what <= INPUT_FLUSH ? spot->what : INPUT_UNKNOWN;
	evidence_add(finding, "blocked in %s(), waiting for %s; ", lookup_call(lookup, spot->call),
		whats[what]);
}

void host_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct spot *spot = subject->spot;
	char host[32], exposed[32];
	finding->spot = spot_index(report->model->spots, spot);
	finding->host_ns = report_ns_per_step(report, subject->found[SPOT_LINE_NS]);
	finding->exposed_ns = report_ns_per_step(report, subject->found[SPOT_EXPOSED_NS]);
	finding->calls_per_step = report_per_step(report, subject->counted[SPOT_CALLS]);
	place_of_line(subject, finding);
	if (spot->kind == SPOT_BLOCKED)
		add_cause(subject, finding);
	else
		evidence_add(finding, "%s launches nothing; ",
			finding->op != NULL ? finding->op : "an operator");
	evidence_add(finding,
		"the host spends %s per step there, and meanwhile the GPU idles for %s",
		report_duration(finding->host_ns, host, sizeof(host)),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
	evidence_end(report, finding);
}

/* The GPU idles for long enough because of it. */
static bool matters(const struct subject *subject)
{
	const struct report *report = subject->report;
	return report_share(subject->found[SPOT_EXPOSED_NS], report->accounted_ns) >=
	       report_limit(report, THRESHOLD_GAIN);
}

bool rule_host_blocked(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return subject->spot->kind == SPOT_BLOCKED && matters(subject);
}

bool rule_host_operator(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return subject->spot->kind == SPOT_OPERATOR && matters(subject);
}

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
static void describe_pause(const struct report *report, enum piece_kind kind, enum cause cause,
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
	char host[32], exposed[32], mean[32], longest[32];
	describe_pause(report, PIECE_GC, CAUSE_IDLE_GC, count, finding);
	evidence_add(finding,
		"%.1f collections per step, %.2f of them of all generations, take %s each and "
		"at most %s; the host is in them for %s per step, %.1f %% of it (limit %g %%), and "
		"meanwhile the GPU idles for %s",
		finding->calls_per_step, report_per_step(report, counted[MODEL_FULL_COLLECTIONS]),
		report_duration(
			count > 0 ? counted[MODEL_COLLECTION_NS] / count : 0, mean, sizeof(mean)),
		report_duration(report->model->collection_longest_ns, longest, sizeof(longest)),
		report_duration(finding->host_ns, host, sizeof(host)), share_of(report, PIECE_GC),
		report_limit(report, THRESHOLD_GC),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
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
	char host[32], exposed[32];
	describe_pause(
		report, PIECE_GIL, CAUSE_IDLE_GIL, report->counted[MODEL_GIL_WAITS], finding);
	evidence_add(finding,
		"the host waits %.1f times per step, for %s of it, %.1f %% (limit %g %%), and "
		"meanwhile the GPU idles for %s",
		finding->calls_per_step, report_duration(finding->host_ns, host, sizeof(host)),
		share_of(report, PIECE_GIL), report_limit(report, THRESHOLD_GIL),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
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
