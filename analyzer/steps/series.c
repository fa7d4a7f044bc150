/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROW_RUNNING SERIES_EARLY
#define ROW_LATE    (SERIES_EARLY + 1)
#define ROW_PART    (SERIES_EARLY + 2)
#define ROW_TAIL    (SERIES_EARLY + 3)
#define ROW_MOST    (SERIES_EARLY + 4) /* of any of those that ROW_LATE sums up */
#define ROWS        (SERIES_EARLY + 5)

void series_init_unused(struct series *series, uint32_t width)
{
	*series = (struct series){.width = width};
}

int series_use(struct series *series)
{
	if (series->values == NULL)
		series->values = calloc((size_t)ROWS * series->width, sizeof(*series->values));
	return series->values != NULL ? 0 : -ENOMEM;
}

int series_init(struct series *series, uint32_t width)
{
	series_init_unused(series, width);
	return series_use(series);
}

void series_release(struct series *series)
{
	free(series->values);
	*series = (struct series){0};
}

void series_reset(struct series *series)
{
	if (series->values != NULL)
		memset(series->values, 0, (size_t)ROWS * series->width * sizeof(*series->values));
	series->running = 0;
	series->parted = false;
}

static uint64_t *row(const struct series *series, uint64_t at)
{
	return series->values + at * series->width;
}

static void move(const struct series *series, uint64_t *from, uint64_t *to)
{
	for (uint32_t i = 0; i < series->width; i++) {
		to[i] += from[i];
		from[i] = 0;
	}
}

/* The larger of each value. */
static void raise_to(const struct series *series, const uint64_t *from, uint64_t *to)
{
	for (uint32_t i = 0; i < series->width; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

void series_run(struct series *series, uint64_t step)
{
	uint64_t *running = row(series, ROW_RUNNING), *late = row(series, ROW_LATE);
	uint64_t *most = row(series, ROW_MOST);
	series->running = step;
	for (uint32_t i = 0; i < series->width; i++) {
		uint64_t value = running[i];
		if (value == 0) /* most are */
			continue;
		if (most[i] < value)
			most[i] = value;
		late[i] += value;
		running[i] = 0;
	}
}

static void clear(const struct series *series, uint64_t at)
{
	memset(row(series, at), 0, series->width * sizeof(*series->values));
}

void series_cut(struct series *series, uint64_t step, enum step_cut cut)
{
	if (series->values == NULL)
		return;
	uint64_t own = step < SERIES_EARLY ? step : ROW_RUNNING;
	bool kept = step < SERIES_EARLY || step == series->running;
	if (kept && (cut == CUT_PART || cut == CUT_TAIL)) {
		move(series, row(series, own), row(series, cut == CUT_PART ? ROW_PART : ROW_TAIL));
		if (cut == CUT_TAIL) /* with what came before it */
			move(series, row(series, ROW_PART), row(series, ROW_TAIL));
		series->parted = true;
	}
	if (cut == CUT_PART || cut == CUT_TAIL)
		return;
	if (kept && cut != CUT_STEP)
		clear(series, own);
	if (!series->parted || cut == CUT_ASIDE)
		return;
	for (uint64_t at = ROW_PART; at <= ROW_TAIL; at++)
		if (cut == CUT_STEP)
			move(series, row(series, at), series_at(series, step));
		else
			clear(series, at);
	series->parted = false;
}

void series_finish(struct series *series, bool tail)
{
	if (series->values == NULL)
		return;
	clear(series, ROW_PART);
	if (!tail)
		clear(series, ROW_TAIL);
}

/* Early steps are known one by one, all later ones as a whole that is in or out. */
static bool is_in(const struct series *series, uint64_t at, uint64_t count)
{
	if (at < SERIES_EARLY)
		return at < count;
	if (at == ROW_RUNNING && series->running >= count)
		return false;
	return count > SERIES_EARLY || (at != ROW_RUNNING && at != ROW_LATE);
}

static void sum_rows(const struct series *series, uint64_t first, uint64_t count, uint64_t rows,
	uint64_t *ret_sums)
{
	memset(ret_sums, 0, series->width * sizeof(*ret_sums));
	for (uint64_t at = first; at < rows && series->values != NULL; at++) {
		const uint64_t *values = row(series, at);
		uint32_t width = is_in(series, at, count) ? series->width : 0;
		for (uint32_t i = 0; i < width; i++)
			ret_sums[i] += values[i];
	}
}

void series_sum(const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_sums)
{
	sum_rows(series, first, count, ROW_MOST, ret_sums);
}

void series_sum_steps(
	const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_sums)
{
	sum_rows(series, first, count, ROW_PART, ret_sums);
}

void series_most(const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_most)
{
	memset(ret_most, 0, series->width * sizeof(*ret_most));
	if (series->values == NULL)
		return;
	for (uint64_t at = first; at < ROW_LATE; at++)
		if (is_in(series, at, count))
			raise_to(series, row(series, at), ret_most);
	if (is_in(series, ROW_LATE, count))
		raise_to(series, row(series, ROW_MOST), ret_most);
}
