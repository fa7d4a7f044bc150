/* SPDX-License-Identifier: MIT */
/*
 * Blocking calls of libc on threads that feed the device: where a training loop waits
 * for data. Recorded only on a thread that has made a recorded CUDA call, outside of other
 * hooked calls, and only when the call took at least 20 us. On every other thread of
 * every other process the hook is one test of a thread-local pointer and a jump.
 *
 * Nothing here runs before the real call but tests, so cancellation points, signals and errno
 * behave as without the library.
 */
#ifndef PRELOAD_WAIT_H
#define PRELOAD_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/collector.h"
#include "preload/thread/guard.h"
#include "preload/thread/thread.h"

#define WAIT_LEAST_NS 20000u
/* No clock ticks slower than 1 GHz here, so fewer ticks than this are less than WAIT_LEAST_NS. */
#define WAIT_LEAST_TICKS WAIT_LEAST_NS

/* Recorded at all (LIBTRACE_SOURCES); set at start. */
extern bool wait_enabled __attribute__((visibility("hidden")));

static inline bool wait_wanted(void)
{
	return wait_enabled && collector_enabled != 0 && thread_state.stack != NULL &&
	       (guard.busy | guard.call_depth) == 0;
}

/* The call took WAIT_LEAST_TICKS or more: record it if that was long enough. Keeps errno. */
void wait_over(uint16_t id, uint64_t begin, int descriptor, int64_t bytes, const void *caller);

/* Find libc's functions, and take a point of reference for the clock's rate. Once, at start. */
void wait_init(void);

/* In the child of a fork: its thread has made no call yet. */
void wait_after_fork(void);

#endif
