/* SPDX-License-Identifier: MIT */
#include "preload/cupti/activity.h"

#include "collector/describe.h"
#include "collector/gpu/gpu.h"
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/cupti/turn.h"
#include "preload/linker/linker.h"
#include "preload/linker/pending.h"
#include "preload/process/ending.h"
#include "preload/thread/guard.h"

#include <errno.h>
#include <stdlib.h>

/* Calls that need no context, or may succeed without one. */
#define NEEDS_NOTHING (1u << RECORD_CALL | 1u << RECORD_GRAPH)

uint32_t activity_skipped[2];

static struct activity_options wished __attribute__((aligned(8))); /* as base/small.h says */
static uint32_t waiting;

static void keep_off(void)
{
	guard.busy = 1;
}

/* By exit(), before the handlers that CUDA has registered and before our destructor. */
static void at_exit(void)
{
	if (!ending_note_exit())
		return;
	bool entered = guard_enter();
	gpu_stop();
	if (entered)
		guard_leave();
}

static int driver_major(void *driver)
{
	int version = 0;
	CUresult (*get_version)(int *) = NULL;
	*(void **)(void *)&get_version = linker_dlsym(driver, "cuDriverGetVersion");
	if (get_version == NULL || get_version(&version) != CUDA_SUCCESS_CODE)
		return 0;
	return version / 1000;
}

/*
 * A runtime that is linked in says nothing of its version, but asks the driver for functions that
 * are as new as itself. Without a CUPTI of that version the driver's own may do.
 */
static void guess_major(struct gpu_options *options, void *driver)
{
	int of_driver = driver_major(driver), asked = wished.asked_version() / 1000;
	options->runtime_major = asked > 10 && asked < of_driver ? asked : of_driver;
	if (options->runtime_major != of_driver)
		options->other_major = of_driver;
}

static void begin(void)
{
	struct gpu_options options = {.open = linker_dlopen,
		.symbol = linker_dlsym,
		.runtime_path = real_runtime_path(),
		.runtime_major = real_major(),
		.memory = wished.memory,
		.keep_off = keep_off};
	void *driver = real_resolve_driver();
	if (driver == NULL) {
		collector_source("activity", "absent", "the CUDA driver is not loaded");
		return;
	}
	if (options.runtime_major == 0)
		guess_major(&options, driver);
	if (gpu_start(&options) != 0)
		return;
	(void)atexit(at_exit);
	/* What the device does is recorded also when this call is not. */
	if (collector_thread.ring == NULL)
		(void)wished.attach();
}

void activity_init(const struct activity_options *options)
{
	static const struct cupti_turn_options turn = {gpu_yield, gpu_resume, keep_off};
	wished = *options;
	waiting = options->wanted;
	if (options->wanted) {
		cupti_turn_init(&turn);
		collector_source("activity", "absent", GPU_NOT_NEEDED);
	}
	for (unsigned i = 0; i < 2; i++)
		activity_skipped[i] = options->wanted ? UINT32_MAX : options->unwanted[i];
}

/* This call is the one. */
static bool is_first(cudaError_t result, enum record_kind kind)
{
	return __atomic_load_n(&waiting, __ATOMIC_RELAXED) != 0 && result == CUDA_SUCCESS_CODE &&
	       (NEEDS_NOTHING & 1u << kind) == 0 && pending_nowhere(__builtin_frame_address(0)) &&
	       __atomic_exchange_n(&waiting, 0, __ATOMIC_ACQ_REL) != 0;
}

bool activity_should_record(uint16_t flags, cudaError_t result, enum record_kind kind)
{
	int saved = errno;
	if (is_first(result, kind)) {
		begin();
		for (unsigned i = 0; i < 2; i++)
			__atomic_store_n(
				&activity_skipped[i], wished.unwanted[i], __ATOMIC_RELEASE);
	}
	errno = saved;
	return (wished.unwanted[(flags & HOOK_DRIVER) != 0] & 1u << kind) == 0;
}

void activity_after_fork(void)
{
	gpu_after_fork();
	cupti_turn_after_fork();
}
