/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are opened with RTLD_DEEPBIND: their own dependencies come before preloaded names,
 * so a library that is linked with libcuda or libcudart goes past the hooks.
 *
 * Such a dlopen is noted before it begins. When it has returned, at the next look-up or dlopen of
 * its thread, the slots of the library and of what was loaded with it are looked at; another
 * thread would have to wait for the loader, whose constructors may wait for it. A slot that
 * leads, or when it is first used would lead, to the very function that a hook forwards to is
 * made to lead to the hook. So are slots of the loader's own dlopen and dlsym, without which a
 * runtime that is linked in stays unseen. Nothing else is touched; calls from the library's own
 * constructors are not seen.
 *
 * Slots that the loader has made read-only are made writable for the moment of the change. What
 * cannot be changed is counted. One thread at a time does the work, others pass by.
 */
#ifndef PRELOAD_DEEPBIND_H
#define PRELOAD_DEEPBIND_H

#include <stdbool.h>
#include <stdint.h>

extern uint32_t deepbind_noted __attribute__((visibility("hidden")));

/* Libraries are noted so many at a time, of a path that long; what is beyond counts as missed. */
#define DEEPBIND_LIMIT 16u
#define DEEPBIND_PATH  512u

/* A dlopen of path with RTLD_DEEPBIND begins. */
void deepbind_begins(const char *path);

/* There may be something to do. */
static inline bool deepbind_waits(void)
{
	return __builtin_expect(__atomic_load_n(&deepbind_noted, __ATOMIC_ACQUIRE) != 0, 0);
}

/*
 * Look at the libraries that this thread noted; no dlopen may be in progress on it, and the guard
 * must be taken.
 */
void deepbind_attach(void);

/* Slots and libraries that go past the hooks for good. */
uint32_t deepbind_missed(void);

#endif
