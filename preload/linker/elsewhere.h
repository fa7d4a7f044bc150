/* SPDX-License-Identifier: MIT */
/*
 * Is the loader's lock another's? Who loads a library has it for as long as its constructors take,
 * and one of them may wait for the thread that asks: a look-up there would never return. In a child
 * that was forked past the handlers of fork() nobody gives it back at all.
 *
 * pending.c notes whose dlopen began where. It is in progress as long as the return address is in
 * its place and the thread does not sleep above it, for ten seconds at most: who asks goes on
 * without what it wanted to look up. On processors that keep return addresses in a register
 * nothing is known, nor where the kernel is not to be asked (collector/own/sandbox.h). What another
 * thread was at when a process was forked is never finished there: the loader is lost in such a
 * child (collector/own/loading.h).
 *
 * Any thread; a few reads of /proc where a thread has begun a dlopen that may not have returned,
 * none otherwise. Keeps errno.
 */
#ifndef PRELOAD_ELSEWHERE_H
#define PRELOAD_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread begins its outermost dlopen, whose return address lies there. */
void elsewhere_begins(const uintptr_t *frame);

/*
 * True as long as another thread may be inside a dlopen, and where the loader is lost; false where
 * nothing says so.
 */
bool elsewhere_loads(void);

/* Around fork(), on the thread that forks; in the child, which may lose the loader. Keep errno. */
void elsewhere_before_fork(void);
void elsewhere_after_fork(void);

/*
 * The function of that name which a look-up from here would find, without the lock that a dlopen
 * has while constructors run: behind this library, or in the CUDA runtime of one of these sonames.
 * NULL: only the loader can tell.
 */
void *elsewhere_function(const char *name, const char *const *sonames, unsigned count);

#endif
