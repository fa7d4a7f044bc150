/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/subjects.h"

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

#define MIB (1024.0 * 1024.0)

struct alloc_line {
	const struct spot *spot; /* NULL: none */
	uint64_t cost_ns;
};

/* Lines of one kind of calls in the steady steps: all together, and the two that cost most. */
struct churn {
	uint64_t counted[SPOT_VALUE_COUNT], found[SPOT_FINDING_COUNT];
	struct alloc_line worst, next;
};

/* Of a script its lines are told, not places in libraries that its other threads have reached. */
static bool outranks(const struct alloc_line *line, const struct alloc_line *other)
{
	if (other->spot == NULL || line->spot->native != other->spot->native)
		return other->spot == NULL || other->spot->native;
	return line->cost_ns > other->cost_ns;
}

static void rank(struct churn *churn, const struct alloc_line *line)
{
	if (outranks(line, &churn->worst)) {
		churn->next = churn->worst;
		churn->worst = *line;
	} else if (outranks(line, &churn->next)) {
		churn->next = *line;
	}
}

static struct churn find_churn(const struct report *report, enum spot_kind kind)
{
	const struct spots *spots = report->model->spots;
	const struct steps_summary *steps = &report->steps;
	struct churn churn = {.worst = {NULL}};
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *spot = &spots->items[i];
		uint64_t counted[SPOT_VALUE_COUNT], found[SPOT_FINDING_COUNT];
		if (spot->kind != kind)
			continue;
		series_sum(&spot->counted, steps->first, steps->until, counted);
		series_sum(&spot->found, steps->first, steps->until, found);
		if (counted[SPOT_CALLS] == 0)
			continue;
		for (unsigned value = 0; value < SPOT_VALUE_COUNT; value++)
			churn.counted[value] += counted[value];
		for (unsigned value = 0; value < SPOT_FINDING_COUNT; value++)
			churn.found[value] += found[value];
		const struct alloc_line line = {
			spot, counted[SPOT_HOST_NS] + found[SPOT_EXPOSED_NS]};
		rank(&churn, &line);
	}
	return churn;
}

/* Host time in calls that allocate or free, of threads that launch. */
static double alloc_pct(const struct report *report, const struct churn *churn)
{
	return report_share(churn->counted[SPOT_HOST_NS], report->accounted_ns);
}

static void describe_cost(
	const struct report *report, const struct churn *churn, struct finding *finding)
{
	uint64_t waited_ns = report_ns_per_step(report, churn->found[SPOT_WAITED_NS]);
	char waited[32], exposed[32];
	if (waited_ns > 0)
		evidence_add(finding, ", %s of it waiting for the GPU",
			report_duration(waited_ns, waited, sizeof(waited)));
	evidence_add(finding, ", and because of them the GPU idles for %s",
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
}

static void describe_calls(
	const struct report *report, const struct churn *churn, struct finding *finding)
{
	uint64_t refused = churn->counted[SPOT_REFUSED];
	char host[32];
	evidence_add(finding,
		"%.1f calls per step allocate or free memory (%.1f MiB), at most %.1f MiB are held "
		"at once; the host is in these calls for %s per step, %.1f %% of it (limit %g %%)",
		finding->calls_per_step, report_per_step(report, churn->counted[SPOT_BYTES]) / MIB,
		(double)report->model->most_held_bytes / MIB,
		report_duration(finding->host_ns, host, sizeof(host)), alloc_pct(report, churn),
		report_limit(report, THRESHOLD_ALLOC));
	describe_cost(report, churn, finding);
	if (refused > 0)
		evidence_add(finding,
			"; %.1f calls per step found no memory: what was cached was given back and "
			"asked for again",
			report_per_step(report, refused));
}

/* The lines that cost most; false: there are none. */
static bool describe_lines(
	const struct report *report, const struct churn *churn, struct finding *finding)
{
	finding->host_ns = report_ns_per_step(report, churn->counted[SPOT_HOST_NS]);
	finding->exposed_ns = report_ns_per_step(report, churn->found[SPOT_EXPOSED_NS]);
	if (churn->worst.spot == NULL) {
		place_of_loop(finding);
		return false;
	}
	const struct subject line = {.report = report, .spot = churn->worst.spot};
	finding->spot = spot_index(report->model->spots, churn->worst.spot);
	place_of_line(&line, finding);
	return true;
}

static void describe_next(
	const struct report *report, const struct churn *churn, struct finding *finding)
{
	struct finding other = {.line = 0};
	const struct subject line = {.report = report, .spot = churn->next.spot};
	if (churn->next.spot != NULL) {
		place_of_line(&line, &other);
		evidence_add(finding, "; next to it %s", other.where);
	}
	evidence_end(report, finding);
}

void alloc_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct churn churn = find_churn(report, SPOT_ALLOC);
	finding->calls_per_step = report_per_step(report, report->counted[MODEL_ALLOCS]);
	if (!describe_lines(report, &churn, finding))
		return;
	describe_calls(report, &churn, finding);
	describe_next(report, &churn, finding);
}

void setup_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct churn churn = find_churn(report, SPOT_SETUP);
	char host[32];
	finding->calls_per_step = report_per_step(report, churn.counted[SPOT_CALLS]);
	if (!describe_lines(report, &churn, finding))
		return;
	evidence_add(finding,
		"%.1f calls per step, such as %s(), in which the host is for %s per step",
		finding->calls_per_step,
		lookup_call(&report->model->lookup, churn.worst.spot->call),
		report_duration(finding->host_ns, host, sizeof(host)));
	describe_cost(report, &churn, finding);
	describe_next(report, &churn, finding);
}

bool rule_alloc_churn(const struct subject *subject, struct finding *finding)
{
	const struct churn churn = find_churn(subject->report, SPOT_ALLOC);
	(void)finding;
	return churn.worst.spot != NULL &&
	       alloc_pct(subject->report, &churn) >= report_limit(subject->report, THRESHOLD_ALLOC);
}

bool rule_setup_repeated(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct churn churn = find_churn(report, SPOT_SETUP);
	(void)finding;
	return churn.worst.spot != NULL &&
	       report_share(churn.found[SPOT_EXPOSED_NS], report->accounted_ns) >=
		       report_limit(report, THRESHOLD_GAIN);
}
