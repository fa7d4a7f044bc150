/* SPDX-License-Identifier: MIT */
/*
 * The libraries that a process began with: the program's own and those that were preloaded, before
 * anything was opened. A function of one of them that stands before another is meant to; one of a
 * library that was opened later, with global scope, may only be there.
 *
 * Any thread, also before our constructor. No lock of ours, no allocation.
 */
#ifndef PRELOAD_INITIAL_H
#define PRELOAD_INITIAL_H

#include <stdbool.h>

/* To be called before the first dlopen goes on; later calls change nothing. */
void initial_note(void);

/* How many they are, the first that the loader has; 0: not noted. They are never unloaded. */
unsigned initial_libraries(void);

/* An address lies in one of these libraries; false when that was not noted, and for NULL. */
bool initial_has(const void *address);

#endif
