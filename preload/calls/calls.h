/* SPDX-License-Identifier: MIT */
/*
 * The interposed calls, expanded from hooks.def: their ids, their names, and what is known of one
 * while it is recorded. Ids are the "call" of records; 0 is none.
 *
 * What stands below the hooks (captures, the look-up of real functions) and the hooks themselves
 * meet here. All of it is constant. Any thread, also before any constructor.
 */
#ifndef PRELOAD_CALLS_H
#define PRELOAD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/collector.h"

#define HOOK_EXPORT __attribute__((visibility("default")))

enum hook_flags {
	HOOK_PER_THREAD = 1 << 0,    /* _ptsz, _ptds: the default stream is the thread's own */
	HOOK_ANY_SIGNATURE = 1 << 1, /* differs between versions, not compared */
	HOOK_DRIVER = 1 << 3,        /* of the driver; same bit as RECORD_DRIVER */
};

enum hook_id {
	HOOK_NONE = 0,
#define HOOK_NAME(library, name) HOOK_##name,
#include "preload/calls/hooks.def"
	HOOK_COUNT
};

/* What a capture gets besides result and arguments. */
struct hook_call {
	uint64_t begin, end; /* ticks */
	uint16_t id;         /* enum hook_id */
	uint16_t flags;      /* enum hook_flags */
};

/* Names by id, for the collector and for lookups; HOOK_COUNT entries, entry 0 unused. */
extern const struct collector_call calls_table[HOOK_COUNT];

/* Whose function a row is, by the first column of HOOK_ROW. */
enum calls_library {
	CALLS_none,
	CALLS_cudart,
	CALLS_cuda,
	CALLS_libc,
};
extern const uint8_t calls_library[HOOK_COUNT];

/*
 * Our functions by id, which stand in for the real ones; NULL for entry 0. Known to the linker
 * only: whoever hands one out need not know what it does.
 */
extern void *const calls_wrappers[HOOK_COUNT];

/*
 * Id of an interposed function of the CUDA runtime by name, HOOK_NONE if it is none. NULL is none.
 */
enum hook_id calls_runtime_id(const char *name);

/* The same for the CUDA driver. */
enum hook_id calls_driver_id(const char *name);

#endif
