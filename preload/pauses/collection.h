/* SPDX-License-Identifier: MIT */
/*
 * Garbage collections of Python: each becomes a record with begin, end, generation, what was
 * collected, and the line at which it happened, on the thread that ran it.
 *
 * The interpreter tells them to the functions in gc.callbacks, so one of ours is added there, at
 * the end, once the process has recorded something: by Py_AddPendingCall(), which makes the main
 * thread call us where any Python code may run, never from a hook, because adding may itself
 * collect and run a program's __del__. That is the one trace that is left in the interpreter:
 * len(gc.callbacks) is one more. A program that empties the list is not argued with; the source is
 * then absent.
 *
 * A collection never begins a recording: a process whose only events they would be leaves nothing.
 * Sub-interpreters have lists of their own and are not seen.
 *
 * The interpreter is asked by its own threads alone, and not once it has begun to end. errno is
 * kept, and no exception is left behind.
 */
#ifndef PRELOAD_PAUSES_COLLECTION_H
#define PRELOAD_PAUSES_COLLECTION_H

#include <stdbool.h>

/* Switch on or off (LIBTRACE_SOURCES); on is the default. Before the first event. */
void collection_enable(bool on);

/* Look for an interpreter; cheap when nothing was loaded since. Not in a hot hook. */
void collection_attach(void);

/* The calling thread is about to record its first event. */
void collection_thread_begins(void);

/* In the child of a fork: a collection that was under way is the parent's. */
void collection_after_fork(void);

#endif
