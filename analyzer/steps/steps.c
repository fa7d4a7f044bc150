/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/steps.h"

#include <stdlib.h>
#include <string.h>

#define WARMUP_FROM  30u /* that many steps: the first WARMUP_STEPS do not count */
#define WARMUP_STEPS 10u
#define TREND_STEPS  8 /* so many of the last steps are recent */
/* An outlier's distance from the median, in median distances; those are no smaller than a share. */
#define OUTLIER_FROM   (3.5 / 0.6745)
#define OUTLIER_SPREAD 0.02
#define OUTLIERS_LEAST 8u /* steps that show what is usual */
#define OUTLIERS_PART  5u

const char *const step_method_names[STEP_METHOD_COUNT] = {
	[STEP_BY_NOTHING] = "none",
	[STEP_BY_PERIOD] = "launch period",
	[STEP_BY_LOADER] = "data loader",
	[STEP_BY_OPTIMIZER] = "optimizer step",
	[STEP_BY_MARK] = "explicit marks",
	[STEP_BY_RANGE] = "range",
	[STEP_BY_MARKER] = "marker",
};

void steps_init(struct steps *steps, uint64_t ns)
{
	*steps = (struct steps){
		.cut_ns = ns, .begin_ns = ns, .stride = 1, .late_min_ns = UINT64_MAX};
}

void steps_restart(struct steps *steps, enum step_method method, uint64_t begin_ns)
{
	bool (*selected)(const void *, uint64_t) = steps->selected;
	const void *context = steps->context;
	steps_init(steps, begin_ns);
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

bool steps_cut(struct steps *steps, uint64_t ns)
{
	if (!steps_pass(steps, ns))
		return false;
	steps->count++;
	return true;
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

static uint64_t rise(uint64_t from, uint64_t until)
{
	return until > from ? until - from : 0;
}

void steps_end(struct steps *steps, uint64_t ns, uint64_t lag_ns)
{
	uint64_t length = ns - steps->begin_ns + steps->part_ns + steps->tail_ns;
	steps->part_ns = steps->tail_ns = 0;
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
		steps->late_rise_ns += rise(steps->lag_ns, lag_ns);
		add_late(steps, length);
	}
	steps->ended++;
	steps->begin_ns = ns;
	steps->lag_ns = lag_ns;
}

void steps_put(struct steps *steps, enum step_cut cut, uint32_t phase, uint64_t ns, uint64_t lag_ns)
{
	uint64_t length = ns - steps->begin_ns;
	if (cut == CUT_STEP) {
		steps_end(steps, ns, lag_ns);
		return;
	}
	if (cut == CUT_PART)
		steps->part_ns += length;
	if (cut == CUT_TAIL)
		steps->tail_ns += length;
	if (cut == CUT_ASIDE)
		phases_add(&steps->phases, phase, steps->ended, length);
	if (cut == CUT_ASIDE_ALL)
		phases_add(&steps->phases, phase, steps->ended,
			length + steps->part_ns + steps->tail_ns);
	if (cut == CUT_ASIDE_ALL || cut == CUT_BROKEN)
		steps->part_ns = steps->tail_ns = 0;
	if (cut == CUT_BROKEN) {
		if (steps->ended < SERIES_EARLY) {
			steps->early[steps->ended] = 0;
			steps->early_lags[steps->ended] = lag_ns;
			steps->early_broken |= 1u << steps->ended;
		}
		steps->ended++;
	}
	steps->begin_ns = ns;
	steps->lag_ns = lag_ns;
}

/* One of the first, that the user asked for and the trace has all of. */
static bool early_counts(const struct steps *steps, uint64_t step)
{
	return steps_wanted(steps, step) && (steps->early_broken >> step & 1) == 0;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* All wanted durations from step first on, sorted, into a new array. */
static uint64_t *sorted_from(const struct steps *steps, uint64_t first, size_t *ret_count)
{
	uint64_t *all = malloc((SERIES_EARLY + STEPS_SAMPLES) * sizeof(*all));
	*ret_count = 0;
	if (all == NULL)
		return NULL;
	size_t count = 0;
	for (uint64_t i = first; i < steps->ended && i < SERIES_EARLY; i++)
		if (early_counts(steps, i))
			all[count++] = steps->early[i];
	memcpy(all + count, steps->samples, steps->sample_count * sizeof(*all));
	count += steps->sample_count;
	qsort(all, count, sizeof(*all), ascending);
	*ret_count = count;
	return all;
}

static uint64_t find_warmup(const struct steps *steps)
{
	if (steps->ended < 2 || steps->selected != NULL)
		return steps->ended < 1 ? 0 : 1;
	uint64_t warmup = steps->ended >= WARMUP_FROM ? WARMUP_STEPS : 1;
	size_t count;
	uint64_t *all = sorted_from(steps, 1, &count);
	if (all == NULL)
		return warmup;
	uint64_t limit = 2 * all[count / 2];
	free(all);
	while (warmup < steps->ended && warmup < SERIES_EARLY && steps->early[warmup] > limit)
		warmup++;
	return warmup;
}

static double spread_of(const uint64_t *sorted, size_t count, uint64_t median)
{
	uint64_t *away = malloc(count * sizeof(*away));
	if (away == NULL || median == 0) {
		free(away);
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		away[i] = sorted[i] > median ? sorted[i] - median : median - sorted[i];
	qsort(away, count, sizeof(*away), ascending);
	uint64_t middle = away[count / 2];
	free(away);
	return (double)middle / (double)median;
}

/* The lag at both ends of the steady steps. */
static void sum_up_lag(const struct steps *steps, struct steps_summary *summary)
{
	uint64_t from = steps->late_from_lag;
	bool any = steps->late_count > 0;
	summary->lag_ns = steps->late_until_lag;
	summary->lag_rise_ns = steps->late_rise_ns;
	summary->lag_trend_ns = steps->lag_trend_ns;
	for (uint64_t i = SERIES_EARLY; i-- > summary->first;) {
		if (i >= steps->ended || !early_counts(steps, i))
			continue;
		if (!any)
			summary->lag_ns = steps->early_lags[i];
		from = i > 0 ? steps->early_lags[i - 1] : 0;
		summary->lag_rise_ns += rise(from, steps->early_lags[i]);
		any = true;
	}
	if (any)
		summary->lag_growth_ns =
			((int64_t)summary->lag_ns - (int64_t)from) / (int64_t)summary->steady;
}

static int by_step(const void *a, const void *b)
{
	const struct step_length *x = a, *y = b;
	return (x->step > y->step) - (x->step < y->step);
}

void steps_find_outliers(const struct steps *steps, const struct steps_summary *summary,
	struct step_outliers *ret_outliers)
{
	struct step_outliers found = {0};
	double spread = summary->spread > OUTLIER_SPREAD ? summary->spread : OUTLIER_SPREAD;
	double limit = (double)summary->median_ns * (1 + OUTLIER_FROM * spread);
	for (uint32_t i = 0; i < steps->longest_count; i++) {
		const struct step_length *length = &steps->longest[i];
		if (length->step < summary->first || (double)length->ns <= limit)
			continue;
		found.items[found.count++] = *length;
		found.more_ns += length->ns - summary->median_ns;
	}
	/* what came after the last step's end */
	if ((double)steps->tail_ns > limit - (double)summary->median_ns) {
		found.items[found.count++] =
			(struct step_length){.step = steps->ended, .ns = steps->tail_ns};
		found.more_ns += steps->tail_ns;
	}
	qsort(found.items, found.count, sizeof(found.items[0]), by_step);
	if (summary->steady < OUTLIERS_LEAST || found.count * OUTLIERS_PART > summary->steady)
		found = (struct step_outliers){0};
	*ret_outliers = found;
}

void steps_summarise(const struct steps *steps, struct steps_summary *ret_summary)
{
	struct steps_summary summary = {.count = steps->count, .until = steps->ended};
	summary.warmup = summary.first = find_warmup(steps);
	size_t count;
	uint64_t *all = sorted_from(steps, summary.first, &count);
	for (uint64_t i = summary.first; i < steps->ended && i < SERIES_EARLY; i++)
		if (early_counts(steps, i)) {
			summary.steady++;
			summary.total_ns += steps->early[i];
		}
	summary.steady += steps->late_count;
	summary.total_ns += steps->late_total_ns;
	sum_up_lag(steps, &summary);
	/* what belongs to the last step and came after its end */
	if (summary.steady > 0)
		summary.total_ns += steps->tail_ns;
	if (all != NULL && count > 0 && summary.steady > 0) {
		summary.mean_ns = summary.total_ns / summary.steady;
		summary.median_ns =
			count % 2 != 0 ? all[count / 2] : (all[count / 2 - 1] + all[count / 2]) / 2;
		summary.p95_ns = all[(count - 1) * 95 / 100];
		if (summary.p95_ns < summary.median_ns) /* of two */
			summary.p95_ns = summary.median_ns;
		summary.min_ns = all[0] < steps->late_min_ns ? all[0] : steps->late_min_ns;
		summary.max_ns =
			all[count - 1] > steps->late_max_ns ? all[count - 1] : steps->late_max_ns;
		summary.spread = spread_of(all, count, summary.median_ns);
	}
	free(all);
	*ret_summary = summary;
}
