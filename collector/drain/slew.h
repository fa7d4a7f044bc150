/* SPDX-License-Identifier: MIT */
/*
 * Ticks to nanoseconds, continuous and never backwards. The relation of the counter
 * to CLOCK_MONOTONIC is measured again and again; each measurement begins a new
 * straight piece at the value that the old one had there, with a slope that leads
 * the error back to zero within the next second. Older pieces are kept, because a record may
 * begin seconds before it is read, and an instant must give the same nanosecond
 * whenever it is asked for, or nested intervals would stick out of each other.
 *
 * One user (the drain thread). No allocation, no system call.
 */
#ifndef COLLECTOR_DRAIN_SLEW_H
#define COLLECTOR_DRAIN_SLEW_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/clock.h"

#define SLEW_PIECES 256u /* a power of two; over four minutes of history */

struct slew {
	struct clock_scale pieces[SLEW_PIECES];
	uint64_t count; /* pieces ever made, the last is count - 1 */
	struct clock_triple first;
	struct clock_triple last; /* measurement that began the last piece */
	uint64_t interval_ns;     /* until the next piece; grows from 10 ms to 1 s */
};

/* Begin with a measurement; the identity until slew_update() was called once. */
void slew_init(struct slew *slew, const struct clock_triple *first);

/*
 * Take a new measurement into account. True when a piece was begun; false when the last one is too
 * young, or the clock is CLOCK_MONOTONIC itself.
 */
bool slew_update(struct slew *slew, const struct clock_triple *now);

/* True when slew_update() would do something with a measurement taken at ticks. */
bool slew_is_due(const struct slew *slew, uint64_t ticks);

/* The piece that holds from now on. */
const struct clock_scale *slew_current(const struct slew *slew);

/* Nanoseconds for any tick, also one far before the last piece. */
uint64_t slew_ns_before(const struct slew *slew, uint64_t ticks);

static inline uint64_t slew_ns(const struct slew *slew, uint64_t ticks)
{
	const struct clock_scale *piece = &slew->pieces[(slew->count - 1) & (SLEW_PIECES - 1)];
	if (__builtin_expect((int64_t)(ticks - piece->base_ticks) < 0, 0))
		return slew_ns_before(slew, ticks);
	return clock_ticks_to_ns(piece, ticks);
}

#endif
