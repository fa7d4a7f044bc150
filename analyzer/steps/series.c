/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROW_RUNNING SERIES_EARLY
#define ROW_LATE    (SERIES_EARLY + 1)
#define ROWS        (SERIES_EARLY + 2)

int series_init(struct series *series, uint32_t width)
{
	*series = (struct series){.width = width};
	series->values = calloc((size_t)ROWS * width, sizeof(*series->values));
	return series->values != NULL ? 0 : -ENOMEM;
}

void series_release(struct series *series)
{
	free(series->values);
	*series = (struct series){0};
}

void series_reset(struct series *series)
{
	memset(series->values, 0, (size_t)ROWS * series->width * sizeof(*series->values));
	series->running = 0;
}

static uint64_t *row(const struct series *series, uint64_t at)
{
	return series->values + at * series->width;
}

uint64_t *series_at(struct series *series, uint64_t step)
{
	if (step < SERIES_EARLY)
		return row(series, step);
	uint64_t *running = row(series, ROW_RUNNING);
	if (step > series->running) {
		uint64_t *late = row(series, ROW_LATE);
		for (uint32_t i = 0; i < series->width; i++) {
			late[i] += running[i];
			running[i] = 0;
		}
		series->running = step;
	}
	return running;
}

void series_sum(const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_sums)
{
	memset(ret_sums, 0, series->width * sizeof(*ret_sums));
	for (uint64_t at = first; at < ROWS; at++) {
		/* early steps are known one by one, all later ones as a whole that is in or out */
		if (at < SERIES_EARLY && at >= count)
			continue;
		if (at >= SERIES_EARLY && count <= SERIES_EARLY)
			continue;
		if (at == ROW_RUNNING && series->running >= count)
			continue;
		for (uint32_t i = 0; i < series->width; i++)
			ret_sums[i] += row(series, at)[i];
	}
}
