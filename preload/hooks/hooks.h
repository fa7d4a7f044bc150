/* SPDX-License-Identifier: MIT */
/*
 * The interposed functions, expanded from hooks.def: ids, names, wrappers.
 *
 * A wrapper's body exists once (hooks.c): test the gate, test that the thread is not
 * inside the library or another hooked call, take the time around the real call,
 * hand everything to the row's capture. Result, errno and side effects are the real
 * call's. Ids are the "call" of records; 0 is none.
 *
 * Wrappers run on any thread, in constructors before ours, in signal handlers and
 * after our destructor. They allocate nothing and take no lock.
 */
#ifndef PRELOAD_HOOKS_H
#define PRELOAD_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/collector.h"
#include "preload/thread/thread.h"

#define HOOK_EXPORT __attribute__((visibility("default")))

enum hook_flags {
	HOOK_PER_THREAD = 1 << 0,    /* _ptsz, _ptds: the default stream is the thread's own */
	HOOK_ANY_SIGNATURE = 1 << 1, /* differs between versions, not compared */
	HOOK_DRIVER = 1 << 3,        /* of the driver; same bit as RECORD_DRIVER */
};

enum hook_id {
	HOOK_NONE = 0,
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) HOOK_##name,
#define WAIT(library, type, name, params, args, descriptor, bytes)        HOOK_##name,
#define ENDING(library, type, name, params, args, reason, resumes)        HOOK_##name,
#include "preload/hooks/hooks.def"
	HOOK_COUNT
};

/* What a capture gets besides result and arguments. */
struct hook_call {
	uint64_t begin, end; /* ticks */
	void *caller;        /* return address in the program */
	uint16_t id;         /* enum hook_id */
	uint16_t flags;      /* enum hook_flags */
};

/* Names by id, for the collector and for lookups; HOOK_COUNT entries, entry 0 unused. */
extern const struct collector_call hooks_calls[HOOK_COUNT];

/* The wrappers by id, NULL for entry 0. */
extern void *const hooks_wrappers[HOOK_COUNT];

/*
 * Id of an interposed function of the CUDA runtime by name, HOOK_NONE if it is none. NULL is none.
 */
enum hook_id hooks_cuda_id(const char *name);

/* The same for the CUDA driver. */
enum hook_id hooks_driver_id(const char *name);

/*
 * False: the library does nothing at all (LIBTRACE_ENABLE=0, or a vfork child). True while
 * recording is merely paused: kinds of memory and names of kernels are kept up to date.
 */
extern int hooks_tracking __attribute__((visibility("hidden")));

#endif
