/* SPDX-License-Identifier: MIT */
/*
 * Many numbers in little memory: a histogram whose bins grow with the value, for durations and
 * sizes of any magnitude. Numbers below 128 have a bin each, above that each doubling is cut into
 * 64 bins, so that a percentile is off by at most 1/128 of itself (TABLES_ERROR is the promise).
 * Count, sum, minimum, maximum and the sum of squares are exact integers.
 *
 * A doubling gets its bins (256 bytes) when the first number falls into it: a function whose calls
 * take 2 us to 2 ms needs under 3 KiB. Adding allocates nothing after that. When a bin would
 * overflow, all are halved, which leaves percentiles as they are.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_TABLES_HIST_H
#define ANALYZER_TABLES_HIST_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define TABLES_HIST_BINS   64u
#define TABLES_HIST_CHUNKS 59u

struct tables_hist {
	uint64_t count, sum, min, max;
	unsigned __int128 squares; /* sum of them; wraps around only with a sum that does as well */
	uint32_t *chunks[TABLES_HIST_CHUNKS];
};

void tables_hist_release(struct tables_hist *hist);

/* Give the doubling of value its bins. 0 or -ENOMEM. */
int tables_hist_grow(struct tables_hist *hist, uint64_t value);

/* A bin has reached its limit: halve them all. */
void tables_hist_halve(struct tables_hist *hist);

/* All that the other holds as well. 0 or -ENOMEM, with a part added. */
int tables_hist_merge(struct tables_hist *hist, const struct tables_hist *other);

/* The value at that rank (of 100, nearest rank: 50 is the lower median). 0 when empty. */
uint64_t tables_hist_percentile(const struct tables_hist *hist, double percent);

/* Rounded to the nearest; 0 when empty. The deviation is that of the whole, not of a sample. */
uint64_t tables_hist_mean(const struct tables_hist *hist);
uint64_t tables_hist_deviation(const struct tables_hist *hist);

static inline unsigned tables_hist_shift(uint64_t value)
{
	return value < 2 * TABLES_HIST_BINS ? 0 : 57 - (unsigned)__builtin_clzll(value);
}

/* 0 or -ENOMEM (nothing added). */
static inline int tables_hist_add(struct tables_hist *hist, uint64_t value)
{
	unsigned shift = tables_hist_shift(value);
	uint64_t index = shift * TABLES_HIST_BINS + (value >> shift);
	uint32_t **chunk = &hist->chunks[index / TABLES_HIST_BINS];
	if (__builtin_expect(*chunk == NULL, 0) && tables_hist_grow(hist, value) < 0)
		return -ENOMEM;
	if (__builtin_expect(++(*chunk)[index % TABLES_HIST_BINS] == UINT32_MAX, 0))
		tables_hist_halve(hist);
	if (hist->count++ == 0 || value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
	hist->sum += value;
	hist->squares += (unsigned __int128)value * value;
	return 0;
}

#endif
