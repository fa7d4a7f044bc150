/* SPDX-License-Identifier: MIT */
/*
 * What the hooks remember per thread besides guard.h, in the thread's block of
 * collector/own/thread.h.
 */
#ifndef PRELOAD_THREAD_H
#define PRELOAD_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/own/thread.h"

#define thread_state (thread_block.state)

/*
 * The thread does what trains, though it may have made no hooked call: what blocks it is recorded
 * from now on, and its stack is sampled.
 */
static inline void thread_trains(void)
{
	if (__builtin_expect(thread_state.stack == NULL, 0))
		thread_state.stack = __builtin_frame_address(0);
}

/*
 * The frame of the hooked call that is said to be in progress still returns to where it was called
 * from. False when a longjmp, an exception or the end of the thread has left it, and others have
 * used its place since. A microsecond; keeps errno.
 */
bool thread_call_is_alive(void);

#endif
