/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/rules/subjects.h"
#include "analyzer/report/samples/sampled.h"

#define NUMBERS_SHOWN 5u
/* Less than that is 0.0 when it is printed. */
#define PHASE_LEAST_PCT 0.05

/* Where most of the outliers' time was spent. */
static void find_place(const struct report *report, struct burst_cost *cost)
{
	const struct step_outliers *outliers = &cost->outliers;
	const struct burst *burst = &report->model->stepping.burst;
	uint64_t most = 0;
	for (uint32_t i = 0; i < outliers->count; i++) {
		const struct burst_step *step = burst_find(burst, outliers->items[i].step);
		uint64_t sum = 0;
		for (uint32_t k = 0; step != NULL && k < outliers->count; k++) {
			const struct burst_step *other = burst_find(burst, outliers->items[k].step);
			if (other != NULL && other->place == step->place)
				sum += other->excess_ns;
		}
		if (sum > most) {
			most = sum;
			cost->place = step->place;
			cost->loads = step->loads;
		}
	}
}

/* What was waited for in them is the work of the steps before. */
static void leave_out_awaiting(const struct report *report, struct step_outliers *outliers)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < outliers->count; i++) {
		struct step_length length = outliers->items[i];
		const struct burst *burst = &report->model->stepping.burst;
		const struct burst_step *step = burst_find(burst, length.step);
		if (step != NULL && burst_is_of_others(burst, step))
			outliers->more_ns -= length.ns - report->steps.median_ns;
		else
			outliers->items[kept++] = length;
	}
	outliers->count = kept;
}

/*
 * Another optimiser has taken over, and most of its steps are that long: they are a training of
 * their own, in which none is unusual.
 */
static void leave_out_stage(const struct report *report, struct step_outliers *outliers)
{
	const struct steps *steps = &report->model->steps;
	uint64_t of_stage = report->model->stepping.marks.vote.ended;
	if (steps->method != STEP_BY_OPTIMIZER || of_stage >= steps->ended)
		return;
	uint32_t before = 0, until = outliers->count;
	while (until > 0 && outliers->items[until - 1].step >= steps->ended)
		until--;
	while (before < until && outliers->items[before].step < steps->ended - of_stage)
		before++;
	if (2ull * (until - before) <= of_stage)
		return;
	for (uint32_t i = before; i < until; i++)
		outliers->more_ns -= outliers->items[i].ns - report->steps.median_ns;
	memmove(&outliers->items[before], &outliers->items[until],
		(outliers->count - until) * sizeof(outliers->items[0]));
	outliers->count -= until - before;
}

bool burst_next(const struct report *report, uint32_t *at, struct burst_cost *ret_cost)
{
	const struct model *model = report->model;
	const struct phases *phases = &model->steps.phases;
	*ret_cost = (struct burst_cost){.ns = 0};
	if ((*at)++ == 0) {
		steps_find_outliers(&model->steps, &report->steps, &ret_cost->outliers);
		leave_out_awaiting(report, &ret_cost->outliers);
		leave_out_stage(report, &ret_cost->outliers);
		ret_cost->ns = ret_cost->outliers.more_ns;
		find_place(report, ret_cost);
		ret_cost->pct = report_share(ret_cost->ns, report->steps.total_ns);
		return true;
	}
	if (*at - 2 >= phases->count)
		return false;
	const struct phase_sum *phase = &phases->items[*at - 2];
	ret_cost->phase = phase;
	ret_cost->ns = phase->ns;
	ret_cost->place = phase->place;
	ret_cost->pct = report_share(phase->ns, report->run_ns);
	return true;
}

/* A policy that plays and a model that is sampled from do what an evaluation does. */
static const char *text_of(enum phase phase)
{
	return phase == PHASE_EVALUATION
		       ? "forward passes that train nothing (evaluation, sampling, playing)"
		       : phase_names[phase];
}

void burst_tell(struct report *report)
{
	const struct phases *phases = &report->model->steps.phases;
	size_t used = 0, size = sizeof(report->between);
	for (uint32_t i = 0; i < phases->count && used < size; i++) {
		const struct phase_sum *phase = &phases->items[i];
		struct finding finding = {.spot = 0};
		double pct = report_share(phase->ns, report->run_ns);
		if (phase->count == 0 || pct < PHASE_LEAST_PCT)
			continue;
		if (phase->place != 0)
			place_of_id(report, phase->place, "an unknown place", &finding);
		used += (size_t)snprintf(report->between + used, size - used,
			"%s%s%s%.100s %llu time%s%s, %.1f %% of the run",
			used > 0 ? "; " : "no part of the steps: ", text_of(phase->phase),
			phase->place != 0 ? " at " : "", finding.where,
			(unsigned long long)phase->count, phase->count > 1 ? "s" : "",
			phase->place != 0 ? ", with what follows" : "", pct);
	}
}

/*
 * Nothing marks these steps but that they were long, and for at least as long the thread was ready
 * to run and had no processor.
 */
static bool is_of_processors(const struct report *report, const struct burst_cost *cost)
{
	return cost->phase == NULL && !cost->loads &&
	       burst_is_usual(&report->model->stepping.burst, cost->place) &&
	       report->delay_pct >= report_limit(report, THRESHOLD_CONTENDED) &&
	       report->delay_pct >= cost->pct;
}

/* "25, 50, 75 and 3 more" */
static void write_numbers(const struct burst_cost *cost, uint64_t ended, char *text, size_t size)
{
	const struct phase_sum *phase = cost->phase;
	uint64_t count = phase != NULL ? phase->count : cost->outliers.count;
	uint64_t known = phase != NULL && count > PHASE_STEPS ? PHASE_STEPS : count;
	size_t used = 0;
	text[0] = '\0';
	for (uint64_t i = 0; i < known && i < NUMBERS_SHOWN && used < size; i++) {
		uint64_t step = phase != NULL ? phase->steps[i] : cost->outliers.items[i].step;
		used += (size_t)snprintf(text + used, size - used,
			phase == NULL && step >= ended ? "%swhat came after step %llu" : "%s%llu",
			i > 0 ? ", " : "",
			(unsigned long long)(phase == NULL && step >= ended ? ended - 1 : step));
	}
	known = known < NUMBERS_SHOWN ? known : NUMBERS_SHOWN;
	if (count > known && used < size)
		snprintf(text + used, size - used, " and %llu more",
			(unsigned long long)(count - known));
}

/* The first one that is named, if it is what came after the last step. */
static bool is_after_last(const struct report *report, const struct burst_cost *cost)
{
	return cost->outliers.items[0].step >= report->model->steps.ended;
}

/* One of several that has most of what they take more: the others hardly matter. */
static void tell_longest(
	const struct report *report, const struct burst_cost *cost, struct finding *finding)
{
	const struct step_outliers *outliers = &cost->outliers;
	const struct step_length *most = &outliers->items[0];
	char length[32];
	for (uint32_t i = 1; i < outliers->count; i++)
		if (outliers->items[i].ns > most->ns)
			most = &outliers->items[i];
	if (outliers->count < 2 || 2 * (most->ns - report->steps.median_ns) < cost->ns)
		return;
	report_duration(most->ns, length, sizeof(length));
	if (most->step >= report->model->steps.ended)
		evidence_add(finding, "; the longest is what came after the last, %s", length);
	else
		evidence_add(finding, "; the longest is step %llu, %s",
			(unsigned long long)most->step, length);
}

/* The loader has no workers. */
static bool makes_its_batches(const struct report *report)
{
	const struct spot *spot = &report->model->spots->items[report_input_spot(report)];
	return (spot->op_class & OPCLASS_IN_PROCESS) != 0;
}

/* Advice that fits these steps; a phase has that of its rule. */
static void advise(
	const struct report *report, const struct burst_cost *cost, struct finding *finding)
{
	const struct phase_sum *phase = cost->phase;
	if (finding->file == NULL)
		snprintf(finding->advice, sizeof(finding->advice),
			"Look for what these steps do and the others do not: no line is known "
			"for it.");
	else if (phase == NULL && cost->loads)
		snprintf(finding->advice, sizeof(finding->advice), "%s",
			makes_its_batches(report)
				? "The batch takes longer to be made in these steps (a file or "
				  "shard that is opened, the begin of an epoch, or the machine), "
				  "and the loop makes it itself: with workers of the loader "
				  "(num_workers > 0) it would be made ahead."
				: "The batch is late in these steps: see what is said of the "
				  "input. At the begin of an epoch no batch is ready yet, and at "
				  "its end workers are stopped: persistent_workers=True keeps "
				  "them, and a loader that goes on over the epochs (an endless "
				  "sampler) keeps their batches.");
	else if (finding->by_machine)
		snprintf(finding->advice, sizeof(finding->advice),
			"%.200s is passed in every step, and the thread was without a processor "
			"for longer than these steps take more (host-contended): mend that first. "
			"What then is left is what only these steps do there or until the next "
			"call.",
			finding->where);
	else if (phase == NULL && burst_is_usual(&report->model->stepping.burst, cost->place))
		snprintf(finding->advice, sizeof(finding->advice),
			"%.200s is passed in every step: look for what only these steps do there "
			"or until the next call (logging, saving, a chart), and do it less often "
			"or in a thread of its own. If there is nothing, it is the machine: other "
			"processes, or storage.",
			finding->where);
}

/*
 * The call at which the time of these steps begins is made in no other, and most of that time is
 * code behind it: the function that the code is in.
 */
static void find_code(
	const struct report *report, const struct burst_cost *cost, struct finding *finding)
{
	const struct meta_PLACE *place = lookup_place(&report->model->lookup, cost->place);
	uint64_t idle_ns = report->swept[CAUSE_IDLE_HOST];
	if (place == NULL || place->user_file == 0 || cost->loads ||
		burst_is_usual(&report->model->stepping.burst, cost->place))
		return;
	struct sampled_function any = sampled_most(report, SAMPLED_CODE, NULL);
	struct sampled_function most = sampled_most(report, SAMPLED_CODE, place);
	if (!sampled_is_known(report, &most) ||
		2.0 * (double)most.samples * (double)idle_ns < (double)cost->ns * (double)any.all)
		return;
	const struct subject line = {.report = report, .spot = most.spot};
	const char *name = sampled_name(report, most.spot);
	char call[sizeof(finding->where)];
	snprintf(call, sizeof(call), "%s", finding->where);
	place_of_line(&line, finding);
	evidence_add(finding, "; %.0f %% of %llu samples of the stack after %s were in %s",
		sampled_pct(&most, most.samples), (unsigned long long)most.all, call,
		name != NULL ? name : finding->where);
}

void burst_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct burst_cost *cost = subject->burst;
	const struct phase_sum *phase = cost->phase;
	char numbers[128], each[32];
	uint64_t count = phase != NULL ? phase->count : cost->outliers.count;
	place_of_id(report, cost->place, "an unknown place", finding);
	finding->by_machine = is_of_processors(report, cost);
	if (phase == NULL)
		place_through_library(report, cost->place, finding);
	advise(report, cost, finding);
	write_numbers(cost, report->model->steps.ended, numbers, sizeof(numbers));
	finding->exposed_ns = REPORT_UNKNOWN;
	finding->host_ns = REPORT_UNKNOWN;
	finding->gain_pct = phase == NULL ? cost->pct : REPORT_UNKNOWN_PCT;
	finding->run_pct = phase == NULL ? 0 : cost->pct;
	if (phase == NULL)
		finding->predicted_ns = report->steps.mean_ns -
					(uint64_t)((double)report->steps.mean_ns * cost->pct / 100);
	if (count == 0)
		return;
	report_duration(cost->ns / count, each, sizeof(each));
	if (phase != NULL)
		evidence_add(finding,
			"a %s after steps %s takes %s in the mean, %.1f %% of the run; no part of "
			"the steps' times",
			phase_names[phase->phase], numbers, each, cost->pct);
	else
		evidence_add(finding,
			"%s%s, of %llu steady ones, take%s %s more than the median, %.1f %% "
			"of all time; the mean holds it, a usual step has none of it",
			is_after_last(report, cost) ? ""
			: count > 1                 ? "steps "
						    : "step ",
			numbers, (unsigned long long)report->steps.steady, count > 1 ? "" : "s",
			each, cost->pct);
	if (phase != NULL)
		return;
	tell_longest(report, cost, finding);
	find_code(report, cost, finding);
}

/* Python collects garbage for half of it or more, which is told as that. */
static bool is_of_collections(const struct report *report, const struct burst_cost *cost)
{
	return cost->phase == NULL && 2 * report->counted[MODEL_COLLECTION_NS] >= cost->ns &&
	       2 * report->model->collection_longest_ns * cost->outliers.count >= cost->ns;
}

bool rule_step_outlier(const struct subject *subject, struct finding *finding)
{
	const struct burst_cost *cost = subject->burst;
	(void)finding;
	/* evaluation is what it is for; that it takes place is told, not that it is wrong */
	bool wanted = cost->phase == NULL ? cost->outliers.count > 0
					  : cost->phase->phase == PHASE_CHECKPOINT;
	return wanted && !is_of_collections(subject->report, cost) &&
	       cost->pct >= report_limit(subject->report, THRESHOLD_GAIN);
}
