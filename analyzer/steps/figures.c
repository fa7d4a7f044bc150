/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/figures.h"

#include <stdlib.h>
#include <string.h>

#define WARMUP_FROM  30u /* that many steps: the first WARMUP_STEPS do not count */
#define WARMUP_STEPS 10u
/* An outlier's distance from the median, in median distances; those are no smaller than a share. */
#define OUTLIER_FROM   (3.5 / 0.6745)
#define OUTLIER_SPREAD 0.02
#define OUTLIERS_LEAST 8u /* steps that show what is usual */
#define OUTLIERS_PART  5u

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
	bool many = steps->ended - steps->skips.steps >= WARMUP_FROM;
	uint64_t warmup = many ? WARMUP_STEPS : 1;
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
		summary->lag_rise_ns += steps_rise(from, steps->early_lags[i]);
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

bool steps_tail_counts(const struct steps *steps)
{
	size_t count;
	uint64_t first = find_warmup(steps), *all = sorted_from(steps, first, &count);
	uint64_t head_ns = 0;
	if (all != NULL && count > 0 && first < steps->ended && first < SERIES_EARLY &&
		early_counts(steps, first))
		head_ns = steps_rise(all[count / 2], steps->early[first]);
	free(all);
	return head_ns < steps->tail_ns / 2;
}

/* What was put aside may have had more of the time between two waits, or less. */
static void sum_up_loose(const struct steps *steps, struct steps_summary *summary)
{
	uint64_t less_ns = steps->late_loose.less_ns, more_ns = steps->late_loose.more_ns;
	for (uint64_t i = summary->first; i < SERIES_EARLY; i++)
		if (early_counts(steps, i)) {
			less_ns += steps->early_loose[i].less_ns;
			more_ns += steps->early_loose[i].more_ns;
		}
	summary->mean_high_ns = (summary->total_ns + less_ns) / summary->steady;
	summary->mean_low_ns = steps_rise(more_ns, summary->total_ns) / summary->steady;
}

void steps_summarise(const struct steps *steps, struct steps_summary *ret_summary)
{
	struct steps_summary summary = {.count = steps->count,
		.recorded = steps->count - steps->skips.steps,
		.until = steps->ended};
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
		sum_up_loose(steps, &summary);
		summary.median_ns =
			count % 2 != 0 ? all[count / 2] : (all[count / 2 - 1] + all[count / 2]) / 2;
		summary.p10_ns = all[(count - 1) / 10];
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

void steps_counted(const struct steps *steps, struct steps_window *ret_window)
{
	struct steps_window window = {.until = steps->ended, .count = steps->late_count};
	if (steps->selected != NULL)
		window.first = steps->ended > 0;
	else
		window.first = steps->ended >= WARMUP_FROM ? WARMUP_STEPS : (steps->ended + 2) / 3;
	for (uint64_t i = window.first; i < steps->ended && i < SERIES_EARLY; i++)
		window.count += early_counts(steps, i);
	*ret_window = window;
}
