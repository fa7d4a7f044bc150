/* SPDX-License-Identifier: MIT */
/*
 * Libraries and functions that appear while the program runs: dlopen and dlsym are interposed.
 *
 * Both are tail jumps in assembly (loader_*.S): a filter below looks at the arguments with
 * all registers saved, then the true function is entered as if the program had called
 * it, so that the meaning of RTLD_NEXT, RTLD_DEFAULT and the search path of the caller
 * are kept. dlsym may instead answer with one of our hooks: only for a name that is
 * interposed, only for an explicit handle, and only when the true look-up finds the very
 * function that the hook forwards to. A name that nobody but this library defines is
 * not found, as it would not be without it.
 *
 * A dlsym after a dlopen has returned is also the safe moment to attach to what was loaded:
 * Python and PyTorch look up their entry right after loading each extension module.
 *
 * Any thread, also before our constructor and inside the constructors of others.
 */
#ifndef PRELOAD_LOADER_H
#define PRELOAD_LOADER_H

#include <stdint.h>

/* Where the tail jumps go; set by the filters. */
extern void *loader_next_dlopen;
extern void *loader_next_dlsym;

struct loader_answer {
	void *address;
	uint64_t decided; /* 0: jump to the true function */
};

/* Called by the assembly; frame is the stack at the entry of the interposed function. */
void loader_filter_dlopen(const char *path, int flags, const uintptr_t *frame);
struct loader_answer loader_filter_dlsym(void *handle, const char *name, const uintptr_t *frame);

/*
 * Attach to what was loaded since the last time, if no dlopen is in progress: one of another thread
 * may wait for this one.
 */
void loader_attach(const uintptr_t *frame);

#endif
