/* SPDX-License-Identifier: MIT */
/*
 * What the times of a site are expected to be, the same on both sides: each event
 * is sent as the difference from a running mean, so that the regular part of a
 * training loop costs next to nothing. The arithmetic is exact and wraps at 64
 * bits; FORMAT.md has it in words.
 *
 * A mean moves by a quarter of the difference, and by a difference that is limited
 * to half of the mean, so that one hiccup does not spoil the events after it.
 */
#ifndef COLLECTOR_CODEC_MEAN_H
#define COLLECTOR_CODEC_MEAN_H

#include <stdint.h>

#define MEAN_SLACK 64

struct mean {
	int64_t value;
	uint64_t known; /* false: nothing was seen, the expectation is 0 */
};

/* Two means of a site: its duration, and from the end of the event before to its end. */
struct means {
	struct mean dur;
	struct mean gap;
};

/* Take a value into account that differed by rest from mean->value. */
static inline void mean_update(struct mean *mean, int64_t rest)
{
	int64_t limit = ((mean->value ^ (mean->value >> 63)) >> 1) + MEAN_SLACK;
	int64_t step = rest < limit ? rest : limit;
	step = step > -limit ? step : -limit;
	step = mean->known ? step >> 2 : rest;
	mean->value = (int64_t)((uint64_t)mean->value + (uint64_t)step);
	mean->known = 1;
}

#endif
