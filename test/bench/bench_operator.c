/* SPDX-License-Identifier: MIT */
/*
 * A callback pair of PyTorch that does nothing, and when to count: what recording an operator costs
 * is told against it. Loaded by bench_operator.py.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <valgrind/callgrind.h>

#include "preload/frameworks/frameworks.h"

/* unique_ptr<ObserverContext> in memory of the caller; none. */
static void *begin(void **slot, const void *record)
{
	(void)record;
	*slot = NULL;
	return slot;
}

static void end(const void *record, void *context)
{
	(void)record;
	(void)context;
}

/* 0 when PyTorch takes it, for functions and backward functions. */
int bench_add_empty(void)
{
	void *handle = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
	uint64_t (*add)(struct torch_callback) =
		handle == NULL ? NULL
			       : (uint64_t(*)(struct torch_callback))dlsym(handle,
					 "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE");
	if (add == NULL)
		return -1;
	struct torch_callback callback = {
		.start = (void (*)(void))begin, .end = (void (*)(void))end, .probability = 1.0};
	callback.scopes[0] = 1;
	(void)add(callback);
	return 0;
}

void bench_count(int on)
{
	if (on)
		CALLGRIND_START_INSTRUMENTATION;
	else
		CALLGRIND_STOP_INSTRUMENTATION;
}

/* What was counted so far, to a file of its own under that name. */
void bench_dump(const char *name)
{
	CALLGRIND_DUMP_STATS_AT(name);
	CALLGRIND_STOP_INSTRUMENTATION;
}
