/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROW_RUNNING, /* series_at() knows that it is the first */
	ROW_LATE,
	ROW_PART,
	ROW_TAIL,
	ROW_MOST, /* of any of those that ROW_LATE sums up */
	ROW_EARLY,
	ROWS = ROW_EARLY + SERIES_EARLY
};
#define EARLY_FIRST                                                                                \
	3u /* steps for which there is memory at first: lines of a set-up have no more */

static uint64_t *row(const struct series *series, uint64_t at)
{
	return series->values + at * series->width;
}

/* 0 or -ENOMEM: there are as many as before. */
static int enlarge(struct series *series, uint32_t rows)
{
	const size_t bytes = series->width * sizeof(*series->values);
	uint64_t *values = realloc(series->values, rows * bytes);
	if (values == NULL)
		return -ENOMEM;
	series->values = values;
	memset(row(series, series->rows), 0, (rows - series->rows) * bytes);
	series->rows = rows;
	return 0;
}

void series_init_unused(struct series *series, uint32_t width)
{
	*series = (struct series){.width = width};
}

int series_use(struct series *series)
{
	return series->rows > 0 ? 0 : enlarge(series, ROW_EARLY + EARLY_FIRST);
}

int series_init(struct series *series, uint32_t width)
{
	series_init_unused(series, width);
	return enlarge(series, ROWS);
}

void series_release(struct series *series)
{
	free(series->values);
	*series = (struct series){0};
}

void series_reset(struct series *series)
{
	if (series->rows > 0)
		memset(series->values, 0,
			(size_t)series->rows * series->width * sizeof(*series->values));
	series->running = 0;
	series->parted = false;
}

uint64_t *series_early(struct series *series, uint64_t step)
{
	uint64_t at = ROW_EARLY + step;
	if (at >= series->rows && enlarge(series, ROWS) < 0)
		at = ROW_RUNNING;
	return row(series, at);
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
	if (series->rows == 0)
		return;
	uint64_t own = step < SERIES_EARLY ? ROW_EARLY + step : ROW_RUNNING;
	bool kept = step < SERIES_EARLY ? own < series->rows : step == series->running;
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
	if (cut == CUT_ASIDE_REST)
		clear(series, ROW_PART);
	if (!series->parted || cut_leaves_parts(cut))
		return;
	uint64_t *to = cut == CUT_STEP ? series_at(series, step) : NULL; /* moves the others */
	for (uint64_t at = ROW_PART; at <= ROW_TAIL; at++)
		if (to != NULL)
			move(series, row(series, at), to);
		else
			clear(series, at);
	series->parted = false;
}

void series_finish(struct series *series, bool tail)
{
	if (series->rows == 0)
		return;
	clear(series, ROW_PART);
	if (!tail)
		clear(series, ROW_TAIL);
}

/* Early steps up to this one, and not it, count and may be other than 0. */
static uint64_t early_until(const struct series *series, uint64_t count)
{
	uint64_t known = series->rows > ROW_EARLY ? series->rows - ROW_EARLY : 0;
	return count < known ? count : known;
}

/* All later steps are known as a whole that is in or out, but for the running one. */
static bool is_in(const struct series *series, uint64_t at, uint64_t count)
{
	if (at == ROW_RUNNING && series->running >= count)
		return false;
	return count > SERIES_EARLY || (at != ROW_RUNNING && at != ROW_LATE);
}

static void add_row(const struct series *series, uint64_t at, uint64_t *ret_sums)
{
	const uint64_t *values = row(series, at);
	for (uint32_t i = 0; i < series->width; i++)
		ret_sums[i] += values[i];
}

/* Early steps, and of the other rows those before one. */
static void sum_rows(const struct series *series, uint64_t first, uint64_t count, uint64_t rows,
	uint64_t *ret_sums)
{
	uint64_t until = early_until(series, count);
	memset(ret_sums, 0, series->width * sizeof(*ret_sums));
	for (uint64_t step = first; step < until; step++)
		add_row(series, ROW_EARLY + step, ret_sums);
	for (uint64_t at = 0; at < rows && series->rows > 0; at++)
		if (is_in(series, at, count))
			add_row(series, at, ret_sums);
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
	uint64_t until = early_until(series, count);
	memset(ret_most, 0, series->width * sizeof(*ret_most));
	if (series->rows == 0)
		return;
	for (uint64_t step = first; step < until; step++)
		raise_to(series, row(series, ROW_EARLY + step), ret_most);
	if (is_in(series, ROW_RUNNING, count))
		raise_to(series, row(series, ROW_RUNNING), ret_most);
	if (is_in(series, ROW_LATE, count))
		raise_to(series, row(series, ROW_MOST), ret_most);
}
