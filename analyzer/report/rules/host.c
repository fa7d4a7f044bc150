/* SPDX-License-Identifier: MIT */
/*
 * Rules for lines at which the host does what is none of the device's business: it is blocked
 * although no data comes from there, runs an operator that launches nothing, or code of which only
 * the lines around it are known. The three do not overlap.
 */
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/line.h"
#include "analyzer/report/rules/place.h"
#include "collector/format/record.h"

/* Fewer samples say nothing. */
#define SAMPLES_LEAST 5u
/* Frames outside of the line that are looked at for callers. */
#define DEPTH_LIMIT 64u

bool host_look(const struct report *report, uint32_t spot, struct subject *ret_subject)
{
	const struct spot *found = &report->model->spots->items[spot];
	if (found->kind != SPOT_OPERATOR && found->kind != SPOT_BLOCKED && found->kind != SPOT_GAP)
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

/* A function of the program, and its line with most samples. */
struct function {
	const struct spot *line;
	uint64_t samples, line_samples;
};

/* Of a line, in the code that gap stands for. */
static uint64_t samples_of(const struct report *report, const struct spot *spot, uint32_t gap)
{
	if (spot->kind != SPOT_CODE || spot->name != gap)
		return 0;
	return report_spot(report, spot_index(report->model->spots, spot)).found[SPOT_SAMPLES];
}

/* The function of the spot, unless one before it was of the same. */
static struct function function_of(const struct report *report, uint32_t first, uint32_t gap)
{
	const struct spots *spots = report->model->spots;
	const struct spot *spot = &spots->items[first];
	struct function function = {.line = spot};
	for (uint32_t i = first; i < spots->count; i++) {
		const struct spot *other = &spots->items[i];
		if (other->file != spot->file || other->function != spot->function)
			continue;
		uint64_t samples = samples_of(report, other, gap);
		function.samples += samples;
		if (samples > function.line_samples) {
			function.line_samples = samples;
			function.line = other;
		}
	}
	return function;
}

/* The function with most samples of the gap, and how many there are of all. */
static struct function most_sampled(const struct report *report, uint32_t gap, uint64_t *ret_all)
{
	const struct spots *spots = report->model->spots;
	struct function most = {.line = NULL};
	*ret_all = 0;
	for (uint32_t i = 1; i < spots->count; i++) {
		uint64_t samples = samples_of(report, &spots->items[i], gap);
		*ret_all += samples;
		if (samples == 0 || spots->items[i].file == 0)
			continue;
		struct function function = function_of(report, i, gap);
		if (function.samples > most.samples)
			most = function;
	}
	return most;
}

/* The frames of the program outside of the innermost one, from it outward. */
static void name_callers(
	const struct report *report, const struct spot *spot, struct finding *finding)
{
	const struct lookup *lookup = &report->model->lookup;
	const struct meta_STACK *stack = lookup_stack(lookup, spot->stack);
	const struct meta_PLACE *last = NULL;
	for (unsigned depth = 0;
		stack != NULL && finding->caller_count < FINDING_CALLERS && depth < DEPTH_LIMIT;
		depth++, stack = lookup_stack(lookup, (uint32_t)stack->caller)) {
		const struct meta_PLACE *place = lookup_place(lookup, (uint32_t)stack->place);
		if (place == NULL || place->user_file == 0)
			continue;
		/* A comprehension has a frame of its own, at the line that it stands in. */
		bool same = last != NULL && last->user_file == place->user_file &&
			    last->user_line == place->user_line;
		if (last != NULL && !same)
			place_of_caller(report, place, &finding->callers[finding->caller_count++]);
		last = place;
	}
}

static void refine_by_samples(const struct report *report, uint32_t spot, struct finding *finding)
{
	uint64_t all;
	struct function most = most_sampled(report, spot, &all);
	if (most.line == NULL || all < SAMPLES_LEAST)
		return;
	const struct subject line = {.report = report, .spot = most.line};
	char between[FINDING_TEXT], at[FINDING_TEXT];
	snprintf(between, sizeof(between), "%s", finding->where);
	place_of_line(&line, finding);
	finding->op = NULL;
	snprintf(at, sizeof(at), "%s", finding->where);
	if (finding->function != NULL)
		snprintf(finding->where, sizeof(finding->where), "in %.200s() at %.200s",
			finding->function, at);
	finding->sampled_pct = 100.0 * (double)most.samples / (double)all;
	evidence_add(finding, " (%.200s); %.0f %% of %llu samples of the stack there are in %s",
		between, finding->sampled_pct, (unsigned long long)all,
		finding->function != NULL ? finding->function : at);
	evidence_add(
		finding, ", %.0f %% at this line", 100.0 * (double)most.line_samples / (double)all);
	name_callers(report, most.line, finding);
	for (unsigned i = 0; i < finding->caller_count; i++)
		evidence_add(finding, "%s %s", i == 0 ? ", called from" : ",",
			finding->callers[i].where);
}

void host_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct spot *spot = subject->spot;
	char host[32], exposed[32];
	finding->spot = spot_index(report->model->spots, spot);
	finding->host_ns = report_ns_per_step(report, subject->found[SPOT_LINE_NS]);
	finding->exposed_ns = report_ns_per_step(report, subject->found[SPOT_EXPOSED_NS]);
	if (spot->kind != SPOT_GAP)
		finding->calls_per_step = report_per_step(report, subject->counted[SPOT_CALLS]);
	place_of_line(subject, finding);
	if (spot->kind == SPOT_BLOCKED)
		add_cause(subject, finding);
	else if (spot->kind == SPOT_OPERATOR)
		evidence_add(finding, "%s launches nothing; ",
			finding->op != NULL ? finding->op : "an operator");
	else
		evidence_add(finding, "nothing was called there that is recorded; ");
	evidence_add(finding,
		"the host spends %s per step there, and meanwhile the GPU idles for %s",
		report_duration(finding->host_ns, host, sizeof(host)),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
	if (spot->kind == SPOT_GAP)
		refine_by_samples(report, finding->spot, finding);
	evidence_end(report, finding);
}

void host_share(const struct report *report, struct finding *finding)
{
	if (finding->sampled_pct <= 0)
		return;
	double share = finding->sampled_pct / 100.0;
	uint64_t mean = report->steps.mean_ns;
	uint64_t gained = mean > finding->predicted_ns ? mean - finding->predicted_ns : 0;
	finding->gain_pct *= share;
	finding->exposed_ns = (uint64_t)(share * (double)finding->exposed_ns);
	finding->predicted_ns = mean - (uint64_t)(share * (double)gained);
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

bool rule_host_python(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return subject->spot->kind == SPOT_GAP && matters(subject);
}
