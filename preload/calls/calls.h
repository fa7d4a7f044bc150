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
#include "preload/calls/relative.h"

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

/* Name of the function id, "" for HOOK_NONE; id is below HOOK_COUNT. */
const char *calls_name(unsigned id);

/* The same with its library, for the collector. */
struct collector_call calls_describe(unsigned id);

/* Whose function a row is, by the first column of HOOK_ROW. */
enum calls_library {
	CALLS_none,
	CALLS_cudart,
	CALLS_cuda,
	CALLS_libc,
};
extern const uint8_t calls_library[HOOK_COUNT];

/*
 * Our function that stands in for the real one; NULL for HOOK_NONE. Known to the linker only:
 * whoever hands one out need not know what it does.
 */
void *calls_wrapper(unsigned id);

/*
 * Id of an interposed function of the CUDA runtime by name, HOOK_NONE if it is none. NULL is none.
 */
enum hook_id calls_runtime_id(const char *name);

/* The same for the CUDA driver. */
enum hook_id calls_driver_id(const char *name);

#endif
