/* SPDX-License-Identifier: MIT */
/*
 * Pauses that Python makes by itself, as sources of events: garbage collections (collection.h).
 * This is what they want from the rest of the library.
 *
 * Nothing blocks; errno is kept.
 */
#ifndef PRELOAD_PAUSES_H
#define PRELOAD_PAUSES_H

#include <stdbool.h>

/* Switch each on or off (LIBTRACE_SOURCES). Once, before the first event. */
void pauses_enable(bool collections);

/* Look for an interpreter; cheap when nothing was loaded since. Not in a hot hook. */
void pauses_attach(void);

/* The calling thread is about to record its first event. */
void pauses_thread_begins(void);

/* In the child of a fork: what was under way is the parent's. */
void pauses_after_fork(void);

#endif
