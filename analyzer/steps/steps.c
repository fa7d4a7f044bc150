/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/steps.h"

#include <stdlib.h>
#include <string.h>

#define WARMUP_FROM  30u /* that many steps: the first WARMUP_STEPS do not count */
#define WARMUP_STEPS 10u

const char *const step_method_names[STEP_METHOD_COUNT] = {
	[STEP_BY_NOTHING] = "none",
	[STEP_BY_PERIOD] = "launch period",
	[STEP_BY_LOADER] = "data loader",
	[STEP_BY_OPTIMIZER] = "optimizer step",
	[STEP_BY_MARK] = "explicit marks",
};

void steps_init(struct steps *steps, uint64_t ns)
{
	*steps = (struct steps){.begin_ns = ns, .stride = 1, .late_min_ns = UINT64_MAX};
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
	for (uint64_t i = 0; i < steps->count && i < SERIES_EARLY; i++)
		length += steps_wanted(steps, i) ? steps->early[i] : 0;
	if (steps_wanted(steps, steps->count) && ns > steps->begin_ns)
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
	if ((steps->count - SERIES_EARLY) % steps->stride == 0) {
		if (steps->sample_count == STEPS_SAMPLES)
			thin_out(steps);
		if ((steps->count - SERIES_EARLY) % steps->stride == 0)
			steps->samples[steps->sample_count++] = ns;
	}
	steps->late_total_ns += ns;
	if (ns < steps->late_min_ns)
		steps->late_min_ns = ns;
	if (ns > steps->late_max_ns)
		steps->late_max_ns = ns;
}

bool steps_cut(struct steps *steps, uint64_t ns)
{
	if (ns <= steps->begin_ns)
		return false;
	uint64_t length = ns - steps->begin_ns;
	bool wanted = steps_wanted(steps, steps->count);
	if (wanted)
		steps->selected_count++;
	if (steps->count < SERIES_EARLY)
		steps->early[steps->count] = length;
	else if (wanted)
		add_late(steps, length);
	steps->count++;
	steps->begin_ns = ns;
	return true;
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
	for (uint64_t i = first; i < steps->count && i < SERIES_EARLY; i++)
		if (steps_wanted(steps, i))
			all[count++] = steps->early[i];
	memcpy(all + count, steps->samples, steps->sample_count * sizeof(*all));
	count += steps->sample_count;
	qsort(all, count, sizeof(*all), ascending);
	*ret_count = count;
	return all;
}

static uint64_t find_warmup(const struct steps *steps)
{
	if (steps->count < 2 || steps->selected != NULL)
		return steps->count < 1 ? 0 : 1;
	uint64_t warmup = steps->count >= WARMUP_FROM ? WARMUP_STEPS : 1;
	size_t count;
	uint64_t *all = sorted_from(steps, 1, &count);
	if (all == NULL)
		return warmup;
	uint64_t limit = 2 * all[count / 2];
	free(all);
	while (warmup < steps->count && warmup < SERIES_EARLY && steps->early[warmup] > limit)
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

void steps_summarise(const struct steps *steps, struct steps_summary *ret_summary)
{
	struct steps_summary summary = {.count = steps->count, .until = steps->count};
	summary.warmup = summary.first = find_warmup(steps);
	size_t count;
	uint64_t *all = sorted_from(steps, summary.first, &count);
	for (uint64_t i = summary.first; i < steps->count && i < SERIES_EARLY; i++)
		if (steps_wanted(steps, i)) {
			summary.steady++;
			summary.total_ns += steps->early[i];
		}
	uint64_t late = steps->count > SERIES_EARLY ? steps->selected_count : 0;
	for (uint64_t i = 0; i < SERIES_EARLY && late > 0; i++)
		late -= steps_wanted(steps, i);
	summary.steady += late;
	summary.total_ns += steps->late_total_ns;
	if (all != NULL && count > 0 && summary.steady > 0) {
		summary.mean_ns = summary.total_ns / summary.steady;
		summary.median_ns =
			count % 2 != 0 ? all[count / 2] : (all[count / 2 - 1] + all[count / 2]) / 2;
		summary.p95_ns = all[(count - 1) * 95 / 100];
		summary.min_ns = all[0] < steps->late_min_ns ? all[0] : steps->late_min_ns;
		summary.max_ns =
			all[count - 1] > steps->late_max_ns ? all[count - 1] : steps->late_max_ns;
		summary.spread = spread_of(all, count, summary.median_ns);
	}
	free(all);
	*ret_summary = summary;
}
