/* SPDX-License-Identifier: MIT */
/*
 * The dynamic linker past our own hooks: its true dlopen and dlsym, and how often a library may
 * have been loaded, by which everything that was looked up knows when to look again.
 *
 * Any thread, also before our constructor. errno is kept.
 */
#ifndef PRELOAD_LINKER_H
#define PRELOAD_LINKER_H

#include <stdint.h>

/* NULL until linker_init(), and where libc has none. */
extern void *(*linker_dlsym)(void *handle, const char *name);
extern void *(*linker_dlopen)(const char *path, int flags);

/* Find both; idempotent, called by everything that needs them. */
void linker_init(void);

/* Counts dlopen calls that may have loaded something. */
extern uint32_t linker_loads;

#endif
