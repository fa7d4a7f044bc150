/* SPDX-License-Identifier: MIT */
#include "collector/drain/rhythm.h"

#define SECOND_NS 1000000000ull
#define WEIGHT    8u /* of the mean so far against the latest cost */

void rhythm_begin(struct rhythm *rhythm, unsigned hz)
{
	*rhythm = (struct rhythm){.pause_ns = hz == 0 ? 0 : SECOND_NS / hz,
		.due_ns = hz == 0 ? RHYTHM_NEVER : 0,
		.noise = 1};
}

/* Xorshift: any order that a program's loop does not have. */
static uint32_t next_noise(struct rhythm *rhythm)
{
	rhythm->noise ^= rhythm->noise << 13;
	rhythm->noise ^= rhythm->noise >> 17;
	rhythm->noise ^= rhythm->noise << 5;
	return rhythm->noise;
}

void rhythm_next(struct rhythm *rhythm, uint64_t now_ns, uint64_t cost_ns)
{
	if (rhythm->pause_ns == 0)
		return;
	/* A look that was interrupted for long must not count for ever. */
	if (cost_ns > SECOND_NS / RHYTHM_SHARE)
		cost_ns = SECOND_NS / RHYTHM_SHARE;
	uint64_t mean = rhythm->cost_ns;
	rhythm->cost_ns = mean == 0 ? cost_ns : (mean * (WEIGHT - 1) + cost_ns) / WEIGHT;
	uint64_t pause = rhythm->cost_ns * RHYTHM_SHARE;
	if (pause < rhythm->pause_ns)
		pause = rhythm->pause_ns;
	/* From three to five quarters of it. */
	rhythm->due_ns = now_ns + pause * 3 / 4 + (pause / 2 * (next_noise(rhythm) >> 16) >> 16);
}
