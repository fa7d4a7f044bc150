/* SPDX-License-Identifier: MIT */
/*
 * What the recording of the device is told before it begins (gpu_start()), by who knows the
 * program and its loader. Apart from gpu.h, because finding the library needs it too. Types
 * alone: no code, no state.
 */
#ifndef COLLECTOR_GPU_OPTIONS_H
#define COLLECTOR_GPU_OPTIONS_H

#include <stdbool.h>

struct gpu_options {
	/* The loader's own functions: what we look up must not be hooked. */
	void *(*open)(const char *path, int flags);
	void *(*symbol)(void *handle, const char *name);
	const char *runtime_path; /* file name of the CUDA runtime in use, or NULL: none is known */
	int runtime_major;        /* its major version, 0: unknown */
	int other_major;          /* taken where there is no libcupti of that one; 0: none */
	bool memory;              /* allocations and frees too */
	void (*keep_off)(void);   /* called first on a thread of ours: no hook records on it */
};

/* Why the source is absent before anything needed it. */
#define GPU_THREAD_NAME "libtrace:device" /* of threads that the interface makes for us */
#define GPU_NOT_NEEDED  "no call that needs a device was made"

#endif
