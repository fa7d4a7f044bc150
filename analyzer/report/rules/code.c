/* SPDX-License-Identifier: MIT */
/*
 * Code of the host that idles the GPU: by samples of the stack, or, where there are too few, by the
 * lines of the calls around it.
 */
#include "analyzer/report/rules/subjects.h"

#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

/*
 * Fewer samples than this at a line say nothing of it: the standard error of five counted events is
 * nearly half of them. So many in a function tell of it if their lines lie between the same two
 * calls; else four times as many, where its lines have fewer each.
 */
#define SAMPLES_LEAST 5u
/* A function with less than this share of them is not what has to be mended. */
#define SHARE_LEAST_PCT 10.0

/* A function of the program, and its line with most samples. */
struct function {
	const struct spot *spot;
	uint64_t samples, line_samples;
	uint64_t gap_samples; /* of lines between the same two calls as that one */
};

static uint64_t samples_of(const struct report *report, const struct spot *spot)
{
	uint64_t found[SPOT_FINDING_COUNT];
	if (spot->kind != SPOT_CODE || spot->native)
		return 0;
	series_sum(&spot->found, report->steps.first, report->steps.until, found);
	return found[SPOT_SAMPLES];
}

static struct function function_of(const struct report *report, const struct spot *spot)
{
	const struct spots *spots = report->model->spots;
	struct function function = {.spot = spot};
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *other = &spots->items[i];
		if (other->file != spot->file || other->function != spot->function)
			continue;
		uint64_t samples = samples_of(report, other);
		function.samples += samples;
		if (samples > function.line_samples) {
			function.line_samples = samples;
			function.spot = other;
		}
	}
	for (uint32_t i = 1; i < spots->count && function.spot->gap != 0; i++) {
		const struct spot *other = &spots->items[i];
		if (other->file == spot->file && other->function == spot->function &&
			other->gap == function.spot->gap)
			function.gap_samples += samples_of(report, other);
	}
	return function;
}

/* The function with most samples, and how many there are of all; its spot is NULL: of none. */
static struct function most_sampled(const struct report *report, uint64_t *ret_all)
{
	const struct spots *spots = report->model->spots;
	struct function most = {.spot = NULL};
	*ret_all = 0;
	for (uint32_t i = 1; i < spots->count; i++) {
		uint64_t samples = samples_of(report, &spots->items[i]);
		*ret_all += samples;
		if (samples == 0 || spots->items[i].file == 0)
			continue;
		struct function function = function_of(report, &spots->items[i]);
		if (function.samples > most.samples)
			most = function;
	}
	return most;
}

/* Whether the function was only sampled: nothing that it does was recorded. */
static bool is_without_calls(const struct spots *spots, const struct spot *sampled)
{
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *spot = &spots->items[i];
		if (spot->kind != SPOT_CODE && spot->file == sampled->file &&
			spot->function == sampled->function)
			return false;
	}
	return true;
}

static bool is_known(const struct spots *spots, const struct function *function, uint64_t all)
{
	if (function->spot == NULL)
		return false;
	bool many = function->line_samples >= SAMPLES_LEAST ||
		    function->samples >= 4 * SAMPLES_LEAST ||
		    function->gap_samples >= SAMPLES_LEAST ||
		    (function->samples >= SAMPLES_LEAST && is_without_calls(spots, function->spot));
	return many && 100.0 * (double)function->samples >= SHARE_LEAST_PCT * (double)all;
}

/* The frames of the program outside of the innermost one, from it outward. */
static void name_callers(
	const struct report *report, const struct spot *spot, struct finding *finding)
{
	const struct lookup *lookup = &report->model->lookup;
	const struct meta_STACK *stack = lookup_stack(lookup, spot->stack);
	unsigned named = 0;
	uint64_t last_file = 0, last_line = 0;
	for (unsigned depth = 0; stack != NULL && named < FINDING_CALLERS && depth < 64;
		depth++, stack = lookup_stack(lookup, (uint32_t)stack->caller)) {
		const struct meta_PLACE *place = lookup_place(lookup, (uint32_t)stack->place);
		if (place == NULL || place->user_file == 0)
			continue;
		/* A comprehension has a frame of its own, at the line that it stands in. */
		bool same = last_file == place->user_file && last_line == place->user_line;
		if (last_file != 0 && !same)
			place_of_caller(report, place, &finding->callers[named++]);
		last_file = place->user_file;
		last_line = place->user_line;
	}
	finding->caller_count = named;
}

static void add_callers(struct finding *finding)
{
	for (unsigned i = 0; i < finding->caller_count; i++)
		evidence_add(finding, "%s %s", i == 0 ? ", called from" : ",",
			finding->callers[i].where);
}

/* The code between two lines that idles the GPU most; 0: none. */
static uint32_t largest_gap(const struct report *report)
{
	uint32_t best = 0;
	uint64_t most_ns = 0;
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++) {
		if (report->model->spots->items[spot].kind != SPOT_GAP)
			continue;
		uint64_t ns = report_spot(report, spot).found[SPOT_EXPOSED_NS];
		if (ns > most_ns) {
			most_ns = ns;
			best = spot;
		}
	}
	return best;
}

static const char *nothing_between(const struct spot *gap)
{
	if (gap->native)
		return "between this call and the next one none was recorded";
	return place_is_around(gap) ? "between two calls at this line no other was recorded"
				    : "between these lines no call was recorded";
}

/* The line calls a package: what there is to do is not at the line. */
static void advise_on_package(
	const struct report *report, const struct spot *spot, struct finding *finding)
{
	size_t length;
	const char *path = spot->native ? NULL : place_package(report, spot, &length);
	bool around = spot->last_file == 0 || place_is_around(spot);
	if (path == NULL || !around)
		return;
	snprintf(finding->advice, sizeof(finding->advice),
		"This is code of %.*s, or code that it calls, below the line: leave out what is "
		"not needed there (callbacks, metrics, log entries), or give each step more to do "
		"(a larger batch).",
		(int)length, path);
}

/* A line that calls PyTorch again and again may have no code of its own to move. */
static void advise_between_calls(
	const struct report *report, const struct spot *gap, struct finding *finding)
{
	const struct facts *facts = report->facts;
	if (finding->advice[0] != '\0' || gap->native || !place_is_around(gap) || facts == NULL ||
		facts->framework != OP_TORCH)
		return;
	snprintf(finding->advice, sizeof(finding->advice),
		"What %.200s does of its own is better outside of the steps, in loader workers, "
		"or in operations on the GPU. If it only calls PyTorch, this is PyTorch's way "
		"from one call to the next: have fewer and larger ones (foreach or fused "
		"optimisers, torch.compile, CUDA graphs).",
		finding->where);
}

static void describe_gap(const struct report *report, struct finding *finding)
{
	uint32_t spot = largest_gap(report);
	const struct subject gap = {.report = report, .spot = &report->model->spots->items[spot]};
	char host[32];
	if (spot == 0)
		return;
	struct spot_sums sums = report_spot(report, spot);
	finding->spot = spot;
	finding->host_ns = report_ns_per_step(report, sums.found[SPOT_LINE_NS]);
	finding->exposed_ns = report_ns_per_step(report, sums.found[SPOT_EXPOSED_NS]);
	place_of_line(&gap, finding);
	if (gap.spot->native)
		(void)snprintf(finding->advice, sizeof(finding->advice),
			"Do less %.400s in the loop: move it out of the steps, to another thread, "
			"to fewer steps, or to the GPU.",
			finding->where);
	advise_on_package(report, gap.spot, finding);
	advise_between_calls(report, gap.spot, finding);
	evidence_add(finding, "%s; the host spends %s per step there", nothing_between(gap.spot),
		report_duration(finding->host_ns, host, sizeof(host)));
	evidence_meanwhile(report, ", and meanwhile", finding);
	evidence_end(report, finding);
}

void code_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	uint64_t all;
	struct function most = most_sampled(report, &all);
	char exposed[32];
	place_of_loop(finding);
	finding->share_pct = REPORT_UNKNOWN_PCT;
	if (!is_known(report->model->spots, &most, all)) {
		describe_gap(report, finding);
		return;
	}
	const struct subject line = {.report = report, .spot = most.spot};
	double share = (double)most.samples / (double)all;
	place_of_line(&line, finding);
	finding->spot = spot_index(report->model->spots, most.spot);
	finding->share_pct = 100.0 * share;
	finding->exposed_ns = (uint64_t)(share * (double)report_ns_per_step(
							 report, report->swept[CAUSE_IDLE_HOST]));
	name_callers(report, most.spot, finding);
	advise_on_package(report, most.spot, finding);
	evidence_add(finding,
		report->model->alone
			? "for %s per step the host is in %s: %.0f %% of %llu samples of the stack "
			  "outside of operators, %.0f %% at this line"
			: "the GPU idles for %s per step while the host is in %s: %.0f %% of %llu "
			  "samples of the stack in idle time, %.0f %% at this line",
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)),
		finding->function != NULL ? finding->function : finding->where, finding->share_pct,
		(unsigned long long)all, 100.0 * (double)most.line_samples / (double)all);
	add_callers(finding);
	evidence_end(report, finding);
}

double code_gain(const struct report *report, const struct finding *finding, uint64_t *ret_step_ns)
{
	uint64_t mean = report->steps.mean_ns;
	uint64_t exposed = finding->exposed_ns < mean ? finding->exposed_ns : mean;
	*ret_step_ns = mean - exposed;
	return mean > 0 ? 100.0 * (double)exposed / (double)mean : 0;
}

bool rule_host_python(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	return finding->spot != 0 &&
	       report_share(finding->exposed_ns * report->steps.steady, report->accounted_ns) >=
		       report_limit(report, THRESHOLD_GAIN);
}
