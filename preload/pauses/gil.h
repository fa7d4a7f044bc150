/* SPDX-License-Identifier: MIT */
/*
 * Waits for the interpreter's lock (the GIL): the interpreter waits on a condition that lies
 * inside its exported object _PyRuntime, in turns of its switch interval, until whoever holds the
 * lock lets go. Each turn becomes a record with the line of the waiting thread and the thread that
 * holds.
 *
 * The holder is the thread state 24 bytes before the condition, in the same structure since 3.8.
 * Where a state keeps its thread's id is found by searching the own one, whose ids are known, and
 * all of another's memory is read by calls that cannot fault, because it may be gone meanwhile.
 *
 * Any thread; nothing is allocated, no lock is taken. errno may change.
 */
#ifndef PRELOAD_PAUSES_GIL_H
#define PRELOAD_PAUSES_GIL_H

#include <stdbool.h>
#include <stdint.h>

/* Switch the records on or off (LIBTRACE_SOURCES); on is the default. */
void gil_enable(bool on);

/* Look for an interpreter; cheap when nothing was loaded since. Not in a hot hook. */
void gil_attach(void);

/* Is condition in the interpreter? */
bool gil_owns(const void *condition);

/*
 * The calling thread has waited for the lock while exit() was under way. The interpreter may be
 * gone: CPython 3.10 lets its daemon threads look at what has been freed, every few milliseconds
 * until the process ends, and the process must not end later because of us. Holds the thread.
 */
void gil_hold(const void *condition);

/*
 * The calling thread has waited on condition, in ticks. True when that is the interpreter's: the
 * wait is recorded, unless switched off, and is nobody else's. With the guard taken.
 */
bool gil_waited(const void *condition, uint64_t begin, uint64_t end);

#endif
