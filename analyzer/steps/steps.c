/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/steps.h"

#include <stdlib.h>
#include <string.h>

#define TREND_STEPS 8 /* so many of the last steps are recent */

const char *const step_method_names[STEP_METHOD_COUNT] = {
	[STEP_BY_NOTHING] = "none",
	[STEP_BY_PERIOD] = "launch period",
	[STEP_BY_LOADER] = "data loader",
	[STEP_BY_OPTIMIZER] = "optimizer step",
	[STEP_BY_MARK] = "explicit marks",
	[STEP_BY_PROGRAM] = "the program's own marks",
	[STEP_BY_RANGE] = "range",
	[STEP_BY_MARKER] = "marker",
};

void steps_init(struct steps *steps, uint64_t ns)
{
	memset(steps, 0, offsetof(struct steps, samples)); /* they are behind all else */
	steps->cut_ns = steps->begin_ns = ns;
	steps->stride = 1;
	steps->late_min_ns = UINT64_MAX;
}

void steps_restart(struct steps *steps, enum step_method method, uint64_t begin_ns)
{
	bool (*selected)(const void *, uint64_t) = steps->selected;
	const void *context = steps->context;
	struct phases phases = steps->phases;
	steps_init(steps, begin_ns);
	phases_restart(&phases);
	steps->phases = phases;
	steps->method = method;
	steps->selected = selected;
	steps->context = context;
}

bool steps_wanted(const struct steps *steps, uint64_t step)
{
	return steps->selected == NULL || steps->selected(steps->context, step);
}

uint64_t steps_wanted_ns(const struct steps *steps, uint64_t ns)
{
	uint64_t length = steps->late_total_ns;
	for (uint64_t i = 0; i < steps->ended && i < SERIES_EARLY; i++)
		length += steps_wanted(steps, i) ? steps->early[i] : 0;
	if (steps_wanted(steps, steps->ended) && ns > steps->begin_ns)
		length += ns - steps->begin_ns;
	return length;
}

static void thin_out(struct steps *steps)
{
	/* every second one, so that what is kept stays spread evenly over the run */
	for (uint32_t i = 0; i < STEPS_SAMPLES / 2; i++)
		steps->samples[i] = steps->samples[2 * i];
	steps->sample_count = STEPS_SAMPLES / 2;
	steps->stride *= 2;
}

static void add_late(struct steps *steps, uint64_t ns)
{
	if ((steps->ended - SERIES_EARLY) % steps->stride == 0) {
		if (steps->sample_count == STEPS_SAMPLES)
			thin_out(steps);
		if ((steps->ended - SERIES_EARLY) % steps->stride == 0)
			steps->samples[steps->sample_count++] = ns;
	}
	steps->late_total_ns += ns;
	if (ns < steps->late_min_ns)
		steps->late_min_ns = ns;
	if (ns > steps->late_max_ns)
		steps->late_max_ns = ns;
}

bool steps_pass(struct steps *steps, uint64_t ns)
{
	if (ns <= steps->cut_ns)
		return false;
	steps->cut_ns = ns;
	return true;
}

bool steps_cut_late(struct steps *steps, uint64_t ns, uint64_t count)
{
	if (!steps_pass(steps, ns))
		return false;
	steps->count += count;
	return true;
}

bool steps_cut(struct steps *steps, uint64_t ns)
{
	return steps_cut_late(steps, ns, 1);
}

static void note_skip(struct steps *steps, uint64_t count)
{
	struct step_skips *skips = &steps->skips;
	skips->steps += count;
	if (skips->count == STEPS_SKIPS) {
		skips->items[STEPS_SKIPS - 1].count =
			steps->count + count - skips->items[STEPS_SKIPS - 1].first;
		return;
	}
	skips->items[skips->count].first = steps->count;
	skips->items[skips->count++].count = count;
}

bool steps_skip(struct steps *steps, uint64_t ns, uint64_t count)
{
	if (!steps_pass(steps, ns))
		return false;
	note_skip(steps, count);
	steps->count += count;
	return true;
}

void steps_skipped(struct steps *steps, uint64_t count)
{
	for (; count > 0 && steps->ended < SERIES_EARLY; count--) {
		steps->early[steps->ended] = 0;
		steps->early_lags[steps->ended] = steps->lag_ns;
		steps->early_broken |= 1u << steps->ended++;
	}
	steps->ended += count;
}

void steps_begin_at(struct steps *steps, uint64_t count)
{
	if (count == 0)
		return;
	note_skip(steps, count);
	steps->count = count;
	steps_skipped(steps, count);
}

static void keep_longest(struct steps *steps, uint64_t ns)
{
	struct step_length *least = &steps->longest[0];
	if (steps->longest_count < STEPS_LONGEST) {
		least = &steps->longest[steps->longest_count++];
		least->ns = 0;
	}
	for (uint32_t i = 0; i < steps->longest_count && least->ns > 0; i++)
		if (steps->longest[i].ns < least->ns)
			least = &steps->longest[i];
	if (ns > least->ns)
		*least = (struct step_length){.step = steps->ended, .ns = ns};
}

void steps_end(struct steps *steps, uint64_t ns, uint64_t lag_ns)
{
	uint64_t length = ns - steps->begin_ns + steps->part_ns + steps->tail_ns;
	steps->part_ns = steps->tail_ns = 0;
	steps->piece = steps->parts = (struct step_loose){0};
	bool wanted = steps_wanted(steps, steps->ended);
	if (wanted && steps->ended > 0)
		keep_longest(steps, length);
	if (wanted)
		steps->lag_trend_ns +=
			((int64_t)lag_ns - (int64_t)steps->lag_ns - steps->lag_trend_ns) /
			TREND_STEPS;
	if (steps->ended < SERIES_EARLY) {
		steps->early[steps->ended] = length;
		steps->early_lags[steps->ended] = lag_ns;
	} else if (wanted) {
		if (steps->late_count++ == 0)
			steps->late_from_lag = steps->lag_ns;
		steps->late_until_lag = lag_ns;
		steps->late_rise_ns += steps_rise(steps->lag_ns, lag_ns);
		add_late(steps, length);
	}
	steps->ended++;
	steps->begin_ns = ns;
	steps->lag_ns = lag_ns;
}

static void add_loose(struct step_loose *sum, struct step_loose *more)
{
	sum->less_ns += more->less_ns;
	sum->more_ns += more->more_ns;
	*more = (struct step_loose){0};
}

void steps_loosen(struct steps *steps, const struct step_loose *loose)
{
	steps->piece = *loose;
}

/* What is no step's may have been one's, or the other way round. */
static void put_loose(struct steps *steps, enum step_cut cut)
{
	bool early = steps->ended < SERIES_EARLY;
	struct step_loose *sum = early ? &steps->early_loose[steps->ended] : &steps->late_loose;
	if (!cut_leaves_parts(cut) && cut != CUT_ASIDE_ALL)
		sum = &steps->parts;
	if (cut == CUT_ASIDE_ALL)
		add_loose(sum, &steps->parts);
	if (sum == &steps->parts || early || steps_wanted(steps, steps->ended))
		add_loose(sum, &steps->piece);
}

void steps_put(struct steps *steps, enum step_cut cut, uint32_t phase, uint64_t ns, uint64_t lag_ns)
{
	uint64_t length = ns - steps->begin_ns;
	if (cut == CUT_STEP) {
		steps_end(steps, ns, lag_ns);
		return;
	}
	put_loose(steps, cut);
	if (cut == CUT_PART)
		steps->part_ns += length;
	if (cut == CUT_TAIL) { /* with what came before it */
		steps->tail_ns += length + steps->part_ns;
		steps->part_ns = 0;
	}
	if (cut == CUT_ASIDE)
		phases_add(&steps->phases, phase, steps->ended, length);
	if (cut == CUT_ASIDE_REST) {
		phases_add(&steps->phases, phase, steps->ended, length + steps->part_ns);
		steps->part_ns = 0;
	}
	if (cut == CUT_ASIDE_ALL)
		phases_add(&steps->phases, phase, steps->ended,
			length + steps->part_ns + steps->tail_ns);
	if (cut == CUT_ASIDE_ALL || cut == CUT_BROKEN) {
		steps->part_ns = steps->tail_ns = 0;
		steps->parts = (struct step_loose){0};
	}
	steps->begin_ns = ns;
	steps->lag_ns = lag_ns;
	if (cut == CUT_BROKEN)
		steps_skipped(steps, 1);
}
