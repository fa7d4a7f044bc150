/* SPDX-License-Identifier: MIT */
/*
 * Blocking calls of libc on threads that feed the device: where a training loop waits for
 * something that is not the device. Recorded only on a thread that has made a recorded CUDA call,
 * outside of other hooked calls, and only when the call took at least 20 us. On every other thread
 * of every other process the hook is one test of a thread-local pointer and a jump.
 *
 * Nothing here runs before the real call but tests, so cancellation points, signals and errno
 * behave as without the library. Of waits in each other (a signal handler that waits, another
 * library's function that calls a hooked one) the inner ones are recorded, and of the outer one
 * what comes behind them.
 */
#ifndef PRELOAD_WAIT_H
#define PRELOAD_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/collector.h"
#include "collector/format/host_value.h"
#include "preload/pauses/pauses.h"
#include "preload/process/ending.h"
#include "preload/thread/guard.h"
#include "preload/thread/thread.h"

#define WAIT_LEAST_NS 20000u
/* No clock ticks slower than 1 GHz here, so fewer ticks than this are less than WAIT_LEAST_NS. */
#define WAIT_LEAST_TICKS WAIT_LEAST_NS

/* Any of them are recorded. */
extern bool wait_enabled __attribute__((visibility("hidden")));

static inline bool wait_wanted(void)
{
	return wait_enabled && collector_enabled != 0 && thread_state.stack != NULL &&
	       (guard.busy | guard.call_depth) == 0;
}

/* A call that has returned; errno is still the call's. */
struct wait {
	uint64_t begin; /* ticks */
	uint16_t call;  /* enum hook_id */
	uint8_t what;   /* enum input_what */
	int descriptor; /* -1: none */
	bool is_code;   /* result is 0 or an error number; else negative and errno says why */
	int64_t result;
	int64_t bytes;
	const void *object; /* condition, NULL: another object or none */
	const void *caller;
};

/* On a condition of the interpreter: from here it must come back to us (wait_hold). */
static inline bool wait_is_lock(const void *object)
{
	return object != NULL && pauses_is_lock(object);
}

/* The end of the process may take longer with us: not all of its threads could bear that. */
static inline void wait_hold(const void *object)
{
	if (object != NULL && __builtin_expect(ending_by_exit, 0))
		pauses_hold(object);
}

/* It took WAIT_LEAST_TICKS or more: record it if that was long enough. Keeps errno. */
void wait_over(const struct wait *wait);

/* A file was opened or looked up (INPUT_OPEN, INPUT_STAT) in so many ticks: count it. */
void wait_looked(enum input_what what, uint64_t ticks);

/* Find libc's functions, and take a point of reference for the clock's rate. Once, at start. */
void wait_init(void);

/*
 * What LIBTRACE_SOURCES chooses: waits for the interpreter's lock (preload/pauses) are a source of
 * their own. Once, at start.
 */
void wait_enable(bool calls, bool interpreter);

/* A thread of the process records, or may for its parent: messages are looked for (queue.h). */
void wait_thread_begins(void);

/* A message was put into a pipe, by any thread: what a forked child does is for others. */
void wait_gave(void);

/* Not only waits for the interpreter's lock. */
bool wait_records_calls(void);

/* In the child of a fork: its thread has made no call yet. */
void wait_after_fork(void);

#endif
