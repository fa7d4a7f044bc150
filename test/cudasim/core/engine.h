/* SPDX-License-Identifier: MIT */
/*
 * A copy engine: does one copy at a time, the copies of any stream.
 *
 * Copies are given their time when they are enqueued, and one that has to wait for a long kernel
 * of its stream must not keep the engine from copies that are ready earlier. So the engine keeps
 * the intervals for which it is taken and gives out the first gap that is long enough. Expects
 * the state's lock.
 */
#ifndef CUDASIM_CORE_ENGINE_H
#define CUDASIM_CORE_ENGINE_H

#include <stdint.h>

#define ENGINE_INTERVALS 128

struct engine {
	struct engine_interval {
		uint64_t begin_ns;
		uint64_t end_ns;
	} taken[ENGINE_INTERVALS]; /* sorted, apart from each other */
	unsigned count;
};

/*
 * Takes the engine for duration_ns from the first moment it is free at or after ready_ns. Returns
 * that moment. now_ns tells which intervals are past.
 */
uint64_t engine_take(
	struct engine *engine, uint64_t ready_ns, uint64_t duration_ns, uint64_t now_ns);

#endif
