/* SPDX-License-Identifier: MIT */
/*
 * The dynamic linker past our own hooks: its true dlopen and dlsym, and how often a library may
 * have been loaded, by which everything that was looked up knows when to look again.
 *
 * Any thread, also before our constructor. errno is kept.
 */
#ifndef PRELOAD_LINKER_H
#define PRELOAD_LINKER_H

#include <stdbool.h>
#include <stdint.h>

/* NULL until linker_init(), and where libc has none. */
extern void *(*linker_dlsym)(void *handle, const char *name);
extern void *(*linker_dlopen)(const char *path, int flags);

/* Find both; idempotent, called by everything that needs them. */
void linker_init(void);

/*
 * The handle of a library that is loaded already, by its soname, to be closed again; else NULL,
 * with an error for dlerror(). The linker looks for files too: none becomes descriptor 0 to 2.
 */
void *linker_find(const char *soname);

/*
 * Drops what a look-up of ours that found nothing has left for dlerror(). dlerror() itself would
 * translate it under a lock of libc's locales, which a constructor before ours may hold.
 */
void linker_forget_error(void);

/* Another library's dlsym comes before ours: what it looks up may go past the hooks. */
bool linker_is_behind(void);

/* The path by which this library was loaded; NULL: not known. */
const char *linker_own_path(void);

/* Counts dlopen calls that may have loaded something. */
extern uint32_t linker_loads;

#endif
