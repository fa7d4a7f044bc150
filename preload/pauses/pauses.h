/* SPDX-License-Identifier: MIT */
/*
 * Pauses that Python makes by itself, as sources of events: garbage collections (collection.h) and
 * waits for the interpreter's lock (gil.h). This is what they want from the rest of the library.
 *
 * Nothing blocks; errno is kept.
 */
#ifndef PRELOAD_PAUSES_H
#define PRELOAD_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

/* Switch each on or off (LIBTRACE_SOURCES). Once, before the first event. */
void pauses_enable(bool collections, bool lock);

/* Look for an interpreter; cheap when nothing was loaded since. Not in a hot hook. */
void pauses_attach(void);

/* The calling thread is about to record its first event. */
void pauses_thread_begins(void);

/*
 * The calling thread has waited on condition, in ticks. True when that is the interpreter's: the
 * wait is recorded, unless switched off, and is nobody else's. With the guard taken.
 */
bool pauses_waited(const void *condition, uint64_t begin, uint64_t end);

/* True when condition is that of the interpreter's lock. */
bool pauses_is_lock(const void *condition);

/*
 * The calling thread has waited on condition while exit() was under way: when that is the lock of
 * an interpreter that is gone already, it stays here for as long as we need to end, and longer.
 */
void pauses_hold(const void *condition);

/* In the child of a fork: what was under way is the parent's. */
void pauses_after_fork(void);

#endif
