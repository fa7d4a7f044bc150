/* SPDX-License-Identifier: MIT */
/*
 * What recording takes on a thread of the program, sampled: of some events the time from the end of
 * what they tell of until they are recorded, each for all since the one before. What runs before a
 * call begins is as much as one reading of the clock, which is added. How far apart the samples are
 * changes, so that no rhythm of the program meets theirs.
 *
 * What a framework does itself in order to call us is not in it. Its thread adds, any other reads;
 * no lock, no heap.
 */
#ifndef COLLECTOR_BUFFER_COST_H
#define COLLECTOR_BUFFER_COST_H

#include <stdint.h>

/* Events between two samples, on average. */
#define COST_APART 64u

struct cost {
	uint64_t ticks;
};

/* None yet: another thread begins. */
static inline void cost_reset(struct cost *cost)
{
	__atomic_store_n(&cost->ticks, 0, __ATOMIC_RELAXED);
}

/* An event took so many ticks, and so did the others of those events. */
void cost_note(struct cost *cost, uint64_t ticks, uint64_t events);

/* So many events until the next sample; mixed is what the caller has at hand that changes. */
static inline uint64_t cost_next(uint64_t mixed)
{
	return COST_APART / 2 + ((mixed * 0x9e3779b97f4a7c15u) >> 58);
}

static inline uint64_t cost_ticks(const struct cost *cost)
{
	return __atomic_load_n(&cost->ticks, __ATOMIC_RELAXED);
}

#endif
