/* SPDX-License-Identifier: MIT */
/*
 * Launches of the running step by the place that makes them: their spots are far apart in memory,
 * and are told of all launches of a step at once. Not thread-safe.
 */
#ifndef ANALYZER_LAUNCHES_H
#define ANALYZER_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/base/vec.h"

struct launches_of_place {
	uint64_t host_ns;
	uint64_t spot : 16, calls : 48; /* spot: index + 1; 0: not known */
};

struct launches {
	VEC(struct launches_of_place) places;
	VEC(uint32_t) running; /* places with calls; room for all */
};

static inline void launches_release(struct launches *launches)
{
	vec_release(&launches->places);
	vec_release(&launches->running);
}

/* False: the spot of the place is not known, nothing was counted. */
static inline bool launches_count(struct launches *launches, uint32_t place, uint64_t host_ns)
{
	if (place >= launches->places.count || launches->places.items[place].spot == 0)
		return false;
	struct launches_of_place *own = &launches->places.items[place];
	if (own->calls++ == 0)
		launches->running.items[launches->running.count++] = place;
	own->host_ns += host_ns;
	return true;
}

/* From now on launches of the place are counted here; not without memory. */
static inline void launches_know(struct launches *launches, uint32_t place, uint16_t spot)
{
	size_t known = launches->places.count;
	if (vec_reserve(&launches->places, (size_t)place + 1) < 0)
		return;
	if (launches->places.capacity > known) {
		memset(launches->places.items + known, 0,
			(launches->places.capacity - known) * sizeof(*launches->places.items));
		launches->places.count = launches->places.capacity;
	}
	if (vec_reserve(&launches->running, launches->places.count) == 0)
		launches->places.items[place].spot = (spot + 1u) & UINT16_MAX;
}

/* Who was told of the places with calls, or does not want to be. */
static inline void launches_forget(struct launches *launches)
{
	VEC_FOREACH (place, &launches->running) {
		launches->places.items[*place].calls = 0;
		launches->places.items[*place].host_ns = 0;
	}
	launches->running.count = 0;
}

#endif
