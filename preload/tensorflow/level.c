/* SPDX-License-Identifier: MIT */
#include "preload/tensorflow/level.h"

#include <stddef.h>

/* tsl::profiler: none, and operators that take time, as its own profiler has them by default. */
#define LEVEL_NONE (-1)
#define LEVEL_OURS 2

static int *level;
static int shared;

static int *variable(void)
{
	return __atomic_load_n(&level, __ATOMIC_ACQUIRE);
}

static bool change(int from, int to)
{
	int *place = variable();
	return place != NULL && __atomic_compare_exchange_n(place, &from, to, false,
					__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void level_set(int *place)
{
	__atomic_store_n(&level, place, __ATOMIC_RELEASE);
	/* it runs already: it keeps its own level and gets everything */
	if (!change(LEVEL_NONE, LEVEL_OURS))
		__atomic_store_n(&shared, 1, __ATOMIC_RELEASE);
}

void level_drop(void)
{
	if (!level_is_shared())
		(void)change(LEVEL_OURS, LEVEL_NONE);
	__atomic_store_n(&level, NULL, __ATOMIC_RELEASE);
}

void level_profiler_starts(void)
{
	if (!level_is_shared())
		(void)change(LEVEL_OURS, LEVEL_NONE);
}

void level_profiler_started(bool started)
{
	if (started)
		__atomic_store_n(&shared, 1, __ATOMIC_RELEASE);
	else if (!level_is_shared())
		(void)change(LEVEL_NONE, LEVEL_OURS);
}

void level_profiler_stopped(void)
{
	__atomic_store_n(&shared, 0, __ATOMIC_RELEASE);
	(void)change(LEVEL_NONE, LEVEL_OURS);
}

bool level_is_shared(void)
{
	return __atomic_load_n(&shared, __ATOMIC_ACQUIRE) != 0;
}
