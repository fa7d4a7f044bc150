/* SPDX-License-Identifier: MIT */
/*
 * Which worker of a loader this process is, found where frameworks run them: their own function
 * stands among the frames of the thread, with the number as an argument. Only a forked process, or
 * one that Python's multiprocessing has started, can be one; in others a look is one test, and so
 * it is once it is known what a process is for.
 */
#ifndef PRELOAD_HOOKS_WORKER_H
#define PRELOAD_HOOKS_WORKER_H

#include <stdbool.h>

extern bool worker_is_open __attribute__((visibility("hidden"))); /* it may still be found */

/* What worker_look() does where it may. */
void worker_search(void);

/*
 * The calling thread has waited: look, less often after some looks without a find and never again
 * after one with, and tell the collector what was found. Any thread. errno may change.
 */
static inline void worker_look(void)
{
	if (__builtin_expect(worker_is_open, 0))
		worker_search();
}

/* In the child of a fork: it may be one. */
void worker_after_fork(void);

#endif
