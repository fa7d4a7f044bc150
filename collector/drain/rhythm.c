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

static unsigned share(const struct rhythm *rhythm, uint64_t now_ns)
{
	return now_ns - rhythm->first_ns < RHYTHM_FIRST_NS ? RHYTHM_SHARE : RHYTHM_LATER_SHARE;
}

/* Dear looks make the next ones rarer by the mean, so that they leave little debt. */
static void spend(struct rhythm *rhythm, uint64_t now_ns, uint64_t cost_ns)
{
	uint64_t since_ns = rhythm->last_ns != 0 ? now_ns - rhythm->last_ns : 0;
	int64_t most_ns = (int64_t)(RHYTHM_KEPT_NS / RHYTHM_SHARE);
	int64_t debt_ns = (int64_t)(rhythm->cost_ns / 2);
	int64_t left_ns = rhythm->left_ns + (int64_t)(since_ns / share(rhythm, now_ns));
	if (left_ns > most_ns)
		left_ns = most_ns;
	left_ns -= (int64_t)cost_ns;
	rhythm->left_ns = left_ns > -debt_ns ? left_ns : -debt_ns;
	rhythm->last_ns = now_ns;
}

void rhythm_next(struct rhythm *rhythm, uint64_t now_ns, uint64_t cost_ns)
{
	if (rhythm->pause_ns == 0)
		return;
	/* A look that was interrupted for long must not count for ever. */
	if (cost_ns > SECOND_NS / RHYTHM_SHARE)
		cost_ns = SECOND_NS / RHYTHM_SHARE;
	if (rhythm->last_ns == 0)
		rhythm->first_ns = now_ns;
	uint64_t mean = rhythm->cost_ns;
	rhythm->cost_ns = mean == 0 ? cost_ns : (mean * (WEIGHT - 1) + cost_ns) / WEIGHT;
	spend(rhythm, now_ns, cost_ns);
	uint64_t pause = rhythm->pause_ns;
	int64_t missing_ns = (int64_t)rhythm->cost_ns - rhythm->left_ns;
	uint64_t saved_in_ns = missing_ns > 0 ? (uint64_t)missing_ns * share(rhythm, now_ns) : 0;
	if (saved_in_ns > pause)
		pause = saved_in_ns;
	/* From three to five quarters of it. */
	rhythm->due_ns = now_ns + pause * 3 / 4 + (pause / 2 * (next_noise(rhythm) >> 16) >> 16);
}
