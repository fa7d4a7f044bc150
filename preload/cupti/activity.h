/* SPDX-License-Identifier: MIT */
/*
 * When the recording of device activity begins: at the first CUDA call of the process that cannot
 * have succeeded without a context, such as the first allocation, which comes before the first
 * launch; on the thread that made it, after it, when no dlopen is in progress there. So CUDA is
 * never initialised by us, and a process that does not use a device never loads CUPTI.
 *
 * Until then every kind counts as not wanted, which leads each call here; afterwards, and with
 * LIBTRACE_SOURCES=-activity, calls cost what they cost without it. Any thread.
 */
#ifndef PRELOAD_ACTIVITY_H
#define PRELOAD_ACTIVITY_H

#include <stdbool.h>

#include "preload/capture/capture.h"

/*
 * To be called when capture_skipped is set. wanted: wait for the first call; memory: record
 * allocations and frees too.
 */
void activity_init(bool wanted, bool memory);

/*
 * The kind is marked in capture_skipped: begin, if this call is the one. True when the call is to
 * be recorded. flags are enum hook_flags (not the call, which stays in registers so).
 * With the guard taken; keeps errno.
 */
bool activity_look(uint16_t flags, cudaError_t result, enum record_kind kind);

/* In the child of a fork: what had begun is lost for it, what had not may still begin. */
void activity_after_fork(void);

#endif
