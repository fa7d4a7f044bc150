/* SPDX-License-Identifier: MIT */
/*
 * What is loaded for us or looked for among what is loaded, and forks meanwhile: a child has the
 * loader's tables and locks as they were at that moment, and without the thread that was at them.
 * If something was half done, it ends at the next library that it loads, or waits for ever. So the
 * two wait for each other, each for LOADING_WAIT_NS of sleep, which timers make somewhat more and
 * signals less, and then go on: a thread that waits for the loader's lock meanwhile has nothing
 * half done. Any number of threads load at once. Any thread, also one that forks in a constructor
 * of such a library; all keep errno.
 *
 * The loader is lost in a child whose parent was in it on another thread, for the program, and in
 * one that no handler of fork() heard of: it may end, or wait for ever, in anything that it asks of
 * it, also when a thread is made.
 */
#ifndef COLLECTOR_OWN_LOADING_H
#define COLLECTOR_OWN_LOADING_H

#include <stdbool.h>

#define LOADING_WAIT_NS 1000000000ull

/*
 * The calling thread is at the loader's tables between the two; one pair may be in another. False:
 * the loader is lost, nothing may be asked of it, and there is nothing to end.
 */
bool loading_begin(void);
void loading_end(void);

/* For good, with all processes that this one forks. */
void loading_lose(void);
bool loading_is_lost(void);

/* On the thread that forks; behind it in the parent, and in the child. */
void loading_before_fork(void);
void loading_after_fork(void);
void loading_forget(void);

#endif
