/* SPDX-License-Identifier: MIT */
/*
 * The simulated device's clock: CLOCK_MONOTONIC in nanoseconds, the same clock in which the truth
 * log is written, and the two ways of spending time on it.
 *
 * A wait sleeps until shortly before its end and spins the rest: a timer alone would end some 60
 * to 100 us late (timer slack and wake-up). Busy time stands for work of the host (the cost of a
 * launch, filling a staging buffer) and never sleeps. All functions may be called by any thread,
 * without any lock held.
 */
#ifndef CUDASIM_CORE_CLOCK_H
#define CUDASIM_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns once clock_now() >= end_ns, at once if that is past. errno is left as it was. */
void clock_wait(uint64_t end_ns);

/* The same, but the thread keeps its core busy. */
void clock_spin(uint64_t end_ns);

#endif
