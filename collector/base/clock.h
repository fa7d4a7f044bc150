/* SPDX-License-Identifier: MIT */
/*
 * The one clock of a traced process. clock_ticks() is what hooks read: the
 * time-stamp counter where the kernel itself trusts it (clocksource tsc and an
 * invariant counter), else CLOCK_MONOTONIC in nanoseconds. The drain thread
 * turns ticks into nanoseconds of CLOCK_MONOTONIC with the calibration in
 * struct clock_scale before anything reaches a file, so files only ever hold
 * nanoseconds. clock_use_tsc is written once, before the first event.
 *
 * Reading is safe from any thread, signal handler and constructor.
 */
#ifndef COLLECTOR_BASE_CLOCK_H
#define COLLECTOR_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* True when clock_ticks() is the processor's counter. Set by clock_init() only. */
extern bool clock_use_tsc;

/*
 * ns = base_ns + ((ticks - base_ticks) * mult >> 32), with 128-bit product and
 * signed difference; the identity when the counter is not used.
 */
struct clock_scale {
	uint64_t base_ticks;
	uint64_t base_ns;
	uint64_t mult;
};

static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* Inline also where hundreds of hooks use it in one file. */
static inline __attribute__((always_inline)) uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(clock_use_tsc, 1))
		return __builtin_ia32_rdtsc();
#endif
	return clock_monotonic_ns();
}

static inline uint64_t clock_ticks_to_ns(const struct clock_scale *scale, uint64_t ticks)
{
	int64_t delta = (int64_t)(ticks - scale->base_ticks);
	__int128 product = (__int128)delta * (__int128)scale->mult;
	return scale->base_ns + (uint64_t)(int64_t)(product >> 32);
}

/* Decide between counter and CLOCK_MONOTONIC; idempotent. force_monotonic skips the counter. */
void clock_init(bool force_monotonic);

/* A (ticks, CLOCK_MONOTONIC ns, CLOCK_REALTIME ns) triple, the tightest of a few tries. */
struct clock_triple {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};
void clock_read_triple(struct clock_triple *ret_triple);

/* The scale that maps both triples onto CLOCK_MONOTONIC; later must lie after earlier. */
void clock_scale_from(const struct clock_triple *earlier, const struct clock_triple *later,
	struct clock_scale *ret_scale);

#endif
