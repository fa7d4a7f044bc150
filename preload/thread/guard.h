/* SPDX-License-Identifier: MIT */
/*
 * The re-entry flag of a thread: while it is set, hooks forward and record nothing,
 * so that whatever the library itself calls (and a signal handler that interrupts it)
 * is never recorded and never recurses. It is taken before anything that can allocate
 * or call a hooked function.
 *
 * depth counts runtime calls that are in progress on the thread: a driver call made
 * inside a runtime call belongs to it and is not recorded again.
 */
#ifndef PRELOAD_GUARD_H
#define PRELOAD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/own/thread.h"

#define guard (thread_block.inside)

/* Take the flag; false when it was taken already. */
static inline bool guard_enter(void)
{
	if (__builtin_expect(guard.busy != 0, 0))
		return false;
	guard.busy = 1;
	return true;
}

static inline void guard_leave(void)
{
	guard.busy = 0;
}

#endif
