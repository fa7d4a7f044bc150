/* SPDX-License-Identifier: MIT */
/*
 * The dynamic linker past our own hooks: its true dlopen and dlsym, and how often a library may
 * have been loaded, by which everything that was looked up knows when to look again.
 *
 * Any thread, also before our constructor. errno is kept.
 */
#ifndef PRELOAD_LINKER_H
#define PRELOAD_LINKER_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL until linker_init(), and where libc has none. */
extern void *(*linker_dlsym)(void *handle, const char *name);
extern void *(*linker_dlopen)(const char *path, int flags);

/* Find both; idempotent, called by everything that needs them. */
void linker_init(void);

/*
 * The handle of a library that is loaded already, to be closed again; NULL: it is not, maybe with
 * an error for dlerror(). By its soname or the name of its file; by its path (NULL: the program);
 * by its path, never to be unloaded. Where the linker looks for files none becomes descriptor 0 to
 * 2. No fork of another thread meanwhile, so that a child finds the linker's tables whole; nothing
 * is found, and nothing done, in a child that has them half done (collector/own/loading.h).
 */
void *linker_find(const char *soname);
void *linker_open(const char *path);
void *linker_keep(const char *path);

/* As dlclose() and dl_iterate_phdr(), in the same way. */
typedef int linker_look(struct dl_phdr_info *info, size_t size, void *context);
void linker_close(void *handle);
int linker_each(linker_look *look, void *context);

/*
 * Drops what a look-up of ours that found nothing has left for dlerror(). dlerror() itself would
 * translate it under a lock of libc's locales, which a constructor before ours may hold.
 */
void linker_forget_error(void);

/* Another library's dlsym comes before ours: what it looks up may go past the hooks. */
bool linker_is_behind(void);

/* The path by which this library was loaded; NULL: not known. */
const char *linker_own_path(void);

/*
 * Around fork(), on the thread that forks: while nothing of ours is loaded or looked for; in the
 * parent; in the child. All keep errno.
 */
void linker_before_fork(void);
void linker_has_forked(void);
void linker_begins_as_child(void);

/* Nothing may be asked of the linker (collector/own/loading.h). */
bool linker_is_lost(void);

/* Counts dlopen calls that may have loaded something. */
extern uint32_t linker_loads;

#endif
