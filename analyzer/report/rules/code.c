/* SPDX-License-Identifier: MIT */
/*
 * Code of the host that idles the GPU: by samples of the stack, or, where there are too few, by the
 * lines of the calls around it.
 */
#include "analyzer/report/rules/subjects.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/samples/sampled.h"

/* What is said of the time in which a batch is made needs so many samples, and most of them. */
#define MAKING_LEAST 10u
#define MAKING_PCT   50.0

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

/* From a line to itself or to the next one: there is no other of the program between them. */
static bool is_between_neighbours(const struct spot *gap)
{
	return place_is_around(gap) ||
	       (gap->last_file == gap->file && gap->last_line == gap->line + 1);
}

/* What makes fewer calls of PyTorch, and is not there yet. */
static const char *ways_to_fewer(const struct report *report)
{
	return report->facts != NULL && report->facts->compiled > 0
		       ? "foreach or fused optimisers, CUDA graphs"
		       : "foreach or fused optimisers, torch.compile, CUDA graphs";
}

/* A line that calls PyTorch again and again may have no code of its own to move. */
static void advise_between_calls(
	const struct report *report, const struct spot *gap, struct finding *finding)
{
	const struct facts *facts = report->facts;
	if (finding->advice[0] != '\0' || gap->native || !is_between_neighbours(gap) ||
		facts == NULL || facts->framework != OP_TORCH)
		return;
	snprintf(finding->advice, sizeof(finding->advice),
		"What %.200s does of its own is better outside of the steps, in loader workers, "
		"or in operations on the GPU. If it only calls PyTorch, this is PyTorch's way "
		"from one call to the next: have fewer and larger ones (%s).",
		finding->where, ways_to_fewer(report));
}

/* Most samples of a line were taken below it, in PyTorch's own code. */
static void advise_on_torch(
	const struct report *report, const struct spot *spot, struct finding *finding)
{
	const struct lookup *lookup = &report->model->lookup;
	const struct meta_STACK *stack = lookup_stack(lookup, spot->stack);
	const struct meta_PLACE *place =
		stack != NULL ? lookup_place(lookup, (uint32_t)stack->place) : NULL;
	const char *file = place != NULL ? lookup_text(lookup, (uint32_t)place->file) : NULL;
	if (finding->advice[0] != '\0' || file == NULL || strstr(file, "-packages/torch/") == NULL)
		return;
	snprintf(finding->advice, sizeof(finding->advice),
		"This is code of PyTorch below %.200s, or its wait for its own thread in the "
		"backward pass: have fewer and larger calls (%s), and see what is said of "
		"processors and of Python's lock.",
		finding->where, ways_to_fewer(report));
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
			"Let the host do less %.400s: move it out of the loop, to another thread, "
			"to fewer steps, or to the GPU.",
			finding->where);
	advise_on_package(report, gap.spot, finding);
	advise_between_calls(report, gap.spot, finding);
	evidence_add(finding, "%s; the host spends %s per step there", nothing_between(gap.spot),
		report_duration(finding->host_ns, host, sizeof(host)));
	evidence_meanwhile(report, ", and meanwhile", finding);
	evidence_end(report, finding);
}

/* The part of the operators has findings of its own. */
static void tell_samples(const struct report *report, const struct sampled_function *function,
	struct finding *finding)
{
	const char *name = sampled_name(report, function->spot);
	char exposed[32];
	evidence_add(finding,
		report->model->alone
			? "for %s per step the host is in %s: %.0f %% of %llu samples of the stack "
			  "outside of operators, %.0f %% at this line"
			: "the GPU idles for %s per step while the host is in %s: %.0f %% of %llu "
			  "samples of the stack in idle time, %.0f %% at this line",
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)),
		name != NULL ? name : finding->where, finding->share_pct,
		(unsigned long long)function->all, sampled_pct(function, function->line_samples));
	add_callers(finding);
	if (sampled_pct(function, function->apart) >= 1)
		evidence_add(finding,
			"; %.0f %% are left out, for its operators, which are told by themselves",
			sampled_pct(function, function->apart));
	evidence_end(report, finding);
}

void code_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	struct sampled_function most = sampled_most(report, SAMPLED_CODE, NULL);
	place_of_loop(finding);
	finding->share_pct = REPORT_UNKNOWN_PCT;
	if (!sampled_is_known(report, &most)) {
		describe_gap(report, finding);
		return;
	}
	const struct subject line = {.report = report, .spot = most.spot};
	double share = sampled_pct(&most, most.samples - most.apart) / 100;
	place_of_line(&line, finding);
	finding->spot = spot_index(report->model->spots, most.spot);
	finding->share_pct = sampled_pct(&most, most.samples);
	finding->exposed_ns = (uint64_t)(share * (double)report_ns_per_step(
							 report, report->swept[CAUSE_IDLE_HOST]));
	name_callers(report, most.spot, finding);
	advise_on_package(report, most.spot, finding);
	advise_on_torch(report, most.spot, finding);
	tell_samples(report, &most, finding);
}

bool code_makes_batches(const struct report *report, struct code_making *ret_making)
{
	const struct spot *asks = &report->model->spots->items[report_input_spot(report)];
	struct sampled_function most = sampled_most(report, SAMPLED_MAKING, NULL);
	if (most.all < MAKING_LEAST || most.spot == NULL ||
		sampled_pct(&most, most.samples) < MAKING_PCT ||
		(most.spot->file == asks->file && most.spot->line == asks->line))
		return false;
	const struct subject line = {.report = report, .spot = most.spot};
	const char *name = sampled_name(report, most.spot);
	struct finding place = {.spot = 0};
	place_of_line(&line, &place);
	*ret_making = (struct code_making){.all = most.all,
		.pct = sampled_pct(&most, most.samples),
		.line_pct = sampled_pct(&most, most.line_samples)};
	snprintf(ret_making->where, sizeof(ret_making->where), "%.200s", place.where);
	snprintf(ret_making->function, sizeof(ret_making->function), "%.100s",
		name != NULL ? name : place.where);
	return true;
}

/* All steps together took less. */
static bool is_longer_than_steps(const struct report *report, const struct phase_sum *phase)
{
	return phase != NULL && phase->phase == PHASE_EVALUATION &&
	       phase->ns > report->steps.mean_ns * report->model->steps.ended;
}

bool rule_phase_long(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct burst_cost *cost = subject->burst;
	char each[32];
	if (!is_longer_than_steps(report, cost->phase))
		return false;
	struct sampled_function most = sampled_most(report, SAMPLED_ASIDE, NULL);
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"what happens from %s on, where nothing is trained, takes %s each time, %.1f %% of "
		"the run, and more than all steps together, which it is no part of",
		finding->where, report_duration(cost->ns / cost->phase->count, each, sizeof(each)),
		cost->pct);
	if (!sampled_is_known(report, &most))
		return true;
	const struct subject line = {.report = report, .spot = most.spot};
	place_of_line(&line, finding);
	finding->spot = spot_index(report->model->spots, most.spot);
	name_callers(report, most.spot, finding);
	evidence_add(finding,
		"; %.0f %% of %llu samples of the stack while the GPU idles there are in %s, "
		"%.0f %% at this line",
		sampled_pct(&most, most.samples), (unsigned long long)most.all,
		finding->function != NULL ? sampled_name(report, most.spot) : finding->where,
		sampled_pct(&most, most.line_samples));
	add_callers(finding);
	return true;
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
