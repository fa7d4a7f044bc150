/* SPDX-License-Identifier: MIT */
#include "analyzer/report/samples/sampled.h"

#include <string.h>

/*
 * Fewer samples than this at a line say nothing of it: the standard error of five counted events is
 * nearly half of them. So many in a function tell of it if their lines lie between the same two
 * calls; else four times as many, where its lines have fewer each.
 */
#define SAMPLES_LEAST 5u
/* A function with less than this share of them is not what has to be mended. */
#define SHARE_LEAST_PCT 10.0

static enum spot_kind kind_of(enum sampled sampled)
{
	return sampled == SAMPLED_MAKING ? SPOT_MAKING : SPOT_CODE;
}

/* Which samples are looked at. */
struct view {
	const struct report *report;
	enum sampled sampled;
	const struct meta_PLACE *after; /* NULL: anywhere */
};

static bool is_after(
	const struct report *report, const struct spot *spot, const struct meta_PLACE *place)
{
	const struct spot *gap = &report->model->spots->items[spot->gap];
	return spot->gap != 0 && gap->file == place->user_file && gap->line == place->user_line;
}

static uint64_t samples_of(const struct view *view, const struct spot *spot)
{
	const struct report *report = view->report;
	enum sampled sampled = view->sampled;
	uint64_t found[SPOT_FINDING_COUNT];
	if (spot->kind != kind_of(sampled) || spot->native ||
		(view->after != NULL && !is_after(report, spot, view->after)))
		return 0;
	if (sampled == SAMPLED_ASIDE)
		return spot->aside;
	series_sum(&spot->found, report->steps.first, report->steps.until, found);
	return found[SPOT_SAMPLES];
}

static bool is_nameless(const char *name)
{
	static const char *const names[] = {
		"<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Its name, or that of the function around it. */
static uint32_t function_around(const struct report *report, const struct spot *spot)
{
	const struct lookup *lookup = &report->model->lookup;
	const struct meta_STACK *stack = lookup_stack(lookup, spot->stack);
	if (spot->function == 0 || !is_nameless(lookup_text(lookup, spot->function)))
		return spot->function;
	for (unsigned depth = 0; stack != NULL && depth < 64;
		depth++, stack = lookup_stack(lookup, (uint32_t)stack->caller)) {
		const struct meta_PLACE *place = lookup_place(lookup, (uint32_t)stack->place);
		if (place != NULL && place->user_file == spot->file && place->user_function != 0 &&
			!is_nameless(lookup_text(lookup, (uint32_t)place->user_function)))
			return (uint32_t)place->user_function;
	}
	return spot->function;
}

const char *sampled_name(const struct report *report, const struct spot *spot)
{
	uint32_t function = function_around(report, spot);
	return function != 0 ? lookup_text(&report->model->lookup, function) : NULL;
}

static bool is_in(
	const struct report *report, const struct spot *spot, uint64_t file, uint32_t function)
{
	return spot->file == file &&
	       (spot->function == function || function_around(report, spot) == function);
}

static struct sampled_function function_of(const struct view *view, const struct spot *spot)
{
	const struct report *report = view->report;
	const struct spots *spots = report->model->spots;
	struct sampled_function function = {.spot = spot};
	uint32_t name = function_around(report, spot);
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *other = &spots->items[i];
		if (other->kind != spot->kind || !is_in(report, other, spot->file, name))
			continue;
		uint64_t samples = samples_of(view, other);
		function.samples += samples;
		if (samples > function.line_samples) {
			function.line_samples = samples;
			function.spot = other;
		}
	}
	for (uint32_t i = 1; i < spots->count && function.spot->gap != 0; i++) {
		const struct spot *other = &spots->items[i];
		if (other->gap == function.spot->gap && is_in(report, other, spot->file, name))
			function.gap_samples += samples_of(view, other);
	}
	return function;
}

/* Operators at lines of the function that idle the GPU: as many samples of all as that is. */
static uint64_t samples_apart(
	const struct report *report, const struct sampled_function *function, uint64_t all)
{
	const struct spots *spots = report->model->spots;
	uint64_t idle_ns = report->swept[CAUSE_IDLE_HOST], ns = 0;
	if (report->model->alone || idle_ns == 0) /* no sample is taken in an operator then */
		return 0;
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *spot = &spots->items[i];
		if (spot->kind == SPOT_OPERATOR && spot->file == function->spot->file &&
			spot->function == function->spot->function)
			ns += report_spot(report, i).found[SPOT_EXPOSED_NS];
	}
	double samples = (double)all * (double)ns / (double)idle_ns;
	return samples < (double)function->samples ? (uint64_t)samples : function->samples;
}

struct sampled_function sampled_most(
	const struct report *report, enum sampled sampled, const struct meta_PLACE *after)
{
	const struct view view = {.report = report, .sampled = sampled, .after = after};
	const struct spots *spots = report->model->spots;
	struct sampled_function most = {.spot = NULL};
	uint64_t all = 0;
	for (uint32_t i = 1; i < spots->count; i++)
		all += samples_of(&view, &spots->items[i]);
	for (uint32_t i = 1; i < spots->count && all > 0; i++) {
		const struct spot *spot = &spots->items[i];
		if (spot->file == 0 || samples_of(&view, spot) == 0)
			continue;
		struct sampled_function function = function_of(&view, spot);
		if (sampled == SAMPLED_CODE && after == NULL)
			function.apart = samples_apart(report, &function, all);
		if (most.spot == NULL ||
			function.samples - function.apart > most.samples - most.apart)
			most = function;
	}
	most.all = all;
	return most;
}

/* Whether the function was only sampled: nothing that it does was recorded. */
static bool is_without_calls(const struct spots *spots, const struct spot *sampled)
{
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *spot = &spots->items[i];
		if (spot->kind < SPOT_CODE && spot->file == sampled->file &&
			spot->function == sampled->function)
			return false;
	}
	return true;
}

bool sampled_is_known(const struct report *report, const struct sampled_function *function)
{
	if (function->spot == NULL)
		return false;
	bool many = function->line_samples >= SAMPLES_LEAST ||
		    function->samples >= 4 * SAMPLES_LEAST ||
		    function->gap_samples >= SAMPLES_LEAST ||
		    (function->samples >= SAMPLES_LEAST &&
			    is_without_calls(report->model->spots, function->spot));
	return many &&
	       sampled_pct(function, function->samples - function->apart) >= SHARE_LEAST_PCT;
}
