/* SPDX-License-Identifier: MIT */
#include "collector/buffer/cost.h"

#include "collector/base/clock.h"

/*
 * More is not ours, or not what the next ones take: the thread had no processor meanwhile, or
 * something was looked up for the first time. One of these stands for some hundred events.
 */
#define MOST_TICKS 100000u
#define READINGS   16u

static uint64_t reading;

/* What one reading of the clock takes, at the first sample. */
static uint64_t reading_ticks(void)
{
	uint64_t known = __atomic_load_n(&reading, __ATOMIC_RELAXED);
	if (known != 0)
		return known;
	uint64_t least = UINT64_MAX;
	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t begin = clock_ticks(), ticks = clock_ticks() - begin;
		least = ticks < least ? ticks : least;
	}
	least = least > 0 && least < MOST_TICKS ? least : 1;
	__atomic_store_n(&reading, least, __ATOMIC_RELAXED);
	return least;
}

void cost_note(struct cost *cost, uint64_t ticks, uint64_t events)
{
	uint64_t each = (ticks < MOST_TICKS ? ticks : MOST_TICKS) + reading_ticks();
	__atomic_store_n(&cost->ticks, cost_ticks(cost) + each * events, __ATOMIC_RELAXED);
}
