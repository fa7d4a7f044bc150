/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void tables_hist_release(struct tables_hist *hist)
{
	for (unsigned i = 0; i < TABLES_HIST_CHUNKS; i++)
		free(hist->chunks[i]);
	*hist = (struct tables_hist){0};
}

int tables_hist_grow(struct tables_hist *hist, uint64_t value)
{
	unsigned shift = tables_hist_shift(value);
	unsigned chunk = value < TABLES_HIST_BINS ? 0 : shift + 1;
	hist->chunks[chunk] = calloc(TABLES_HIST_BINS, sizeof(*hist->chunks[chunk]));
	return hist->chunks[chunk] == NULL ? -ENOMEM : 0;
}

void tables_hist_halve(struct tables_hist *hist)
{
	for (unsigned i = 0; i < TABLES_HIST_CHUNKS; i++)
		for (unsigned j = 0; j < TABLES_HIST_BINS && hist->chunks[i] != NULL; j++)
			hist->chunks[i][j] -= hist->chunks[i][j] / 2;
}

static int merge_chunk(uint32_t **chunk, const uint32_t *other)
{
	if (*chunk == NULL)
		*chunk = calloc(TABLES_HIST_BINS, sizeof(**chunk));
	if (*chunk == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < TABLES_HIST_BINS; i++)
		if (__builtin_add_overflow((*chunk)[i], other[i], &(*chunk)[i]))
			(*chunk)[i] = UINT32_MAX - 1;
	return 0;
}

int tables_hist_merge(struct tables_hist *hist, const struct tables_hist *other)
{
	if (other->count == 0)
		return 0;
	for (unsigned i = 0; i < TABLES_HIST_CHUNKS; i++)
		if (other->chunks[i] != NULL && merge_chunk(&hist->chunks[i], other->chunks[i]) < 0)
			return -ENOMEM;
	if (hist->count == 0 || other->min < hist->min)
		hist->min = other->min;
	if (other->max > hist->max)
		hist->max = other->max;
	hist->count += other->count;
	hist->sum += other->sum;
	hist->squares += other->squares;
	return 0;
}

static uint64_t middle_of(unsigned chunk, unsigned bin)
{
	if (chunk <= 1)
		return chunk * TABLES_HIST_BINS + bin;
	unsigned shift = chunk - 1;
	return ((uint64_t)(TABLES_HIST_BINS + bin) << shift) + (1ull << shift) / 2;
}

uint64_t tables_hist_percentile(const struct tables_hist *hist, double percent)
{
	uint64_t total = 0, seen = 0;
	for (unsigned i = 0; i < TABLES_HIST_CHUNKS; i++)
		for (unsigned j = 0; j < TABLES_HIST_BINS && hist->chunks[i] != NULL; j++)
			total += hist->chunks[i][j];
	uint64_t rank = (uint64_t)ceil(percent / 100 * (double)total);
	rank = rank == 0 ? 1 : rank;
	for (unsigned i = 0; i < TABLES_HIST_CHUNKS; i++) {
		for (unsigned j = 0; j < TABLES_HIST_BINS && hist->chunks[i] != NULL; j++) {
			seen += hist->chunks[i][j];
			if (seen < rank)
				continue;
			uint64_t value = middle_of(i, j);
			value = value < hist->min ? hist->min : value;
			return value > hist->max ? hist->max : value;
		}
	}
	return hist->max;
}

uint64_t tables_hist_mean(const struct tables_hist *hist)
{
	return hist->count == 0 ? 0 : (hist->sum + hist->count / 2) / hist->count;
}

uint64_t tables_hist_deviation(const struct tables_hist *hist)
{
	if (hist->count == 0)
		return 0;
	/* n * squares - sum^2 in long double: the squares alone may fill 128 bits */
	long double count = (long double)hist->count, mean = (long double)hist->sum / count;
	long double variance = (long double)hist->squares / count - mean * mean;
	return variance <= 0 ? 0 : (uint64_t)(sqrtl(variance) + 0.5L);
}
