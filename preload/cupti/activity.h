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
#include <stdint.h>

#include "collector/format/record.h"
#include "preload/calls/abi.h"

/*
 * Kinds of which calls are not recorded, a bit each, of the runtime's calls [0] and the driver's
 * [1]; all of them as long as the first call is waited for.
 */
extern uint32_t activity_skipped[2] __attribute__((visibility("hidden")));

struct activity_options {
	bool wanted;                /* wait for the first call */
	bool memory;                /* record what the device did to memory too */
	uint32_t unwanted[2];       /* as activity_skipped: kinds that are not wanted for good */
	bool (*attach)(void);       /* the calling thread has no ring yet: give it one */
	int (*asked_version)(void); /* of driver functions, the newest, as 12080; 0: none */
};

/* From the constructor only. */
void activity_init(const struct activity_options *options);

/*
 * The kind is marked in activity_skipped: begin, if this call is the one. True when the call is to
 * be recorded. flags are enum hook_flags (not the call, which stays in registers so).
 * With the guard taken; keeps errno.
 */
bool activity_should_record(uint16_t flags, cudaError_t result, enum record_kind kind);

/* In the child of a fork: what had begun is lost for it, what had not may still begin. */
void activity_after_fork(void);

#endif
