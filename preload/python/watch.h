/* SPDX-License-Identifier: MIT */
/*
 * Tells where the calling thread's stack is to be found by somebody else (preload/sampler/), when
 * it feeds the device. Costs two loads while that stays the same. Any thread; keeps errno.
 */
#ifndef PRELOAD_PYTHON_WATCH_H
#define PRELOAD_PYTHON_WATCH_H

#include "collector/collector.h"
#include "preload/python/layout.h"

/* The thread has another state than before, or none. */
void watch_change(const struct python_layout *layout, const char *thread);

/* thread is the state of the calling thread, NULL: it has none. */
static inline void watch(const struct python_layout *layout, const char *thread)
{
	if (__builtin_expect(collector_thread.watched != thread, 0))
		watch_change(layout, thread);
}

#endif
