/* SPDX-License-Identifier: MIT */
/*
 * The libcupti of this process: found, opened, its functions by name (functions.def).
 *
 * Taken in this order: one that is mapped already; one beside the CUDA runtime, where the wheels
 * and the toolkit put it; one on the loader's own path. It must be of the runtime's major version:
 * with another one everything succeeds and nothing is ever delivered. If only such a one is mapped,
 * none is taken, unless it is of the other version that may do (options.h). It is never closed.
 *
 * One per process, gpu_library; filled by one thread (gpu.c), constant afterwards, so any
 * thread may call through it. Every call goes through GPU_ASK(), so that observers of the library
 * can tell our calls from others'. No library is NULL in open.
 */
#ifndef COLLECTOR_GPU_LIBRARY_H
#define COLLECTOR_GPU_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/gpu/options.h"
#include "collector/own/linkage.h"

/* CUptiResult; the others are only named. */
enum gpu_result {
	GPU_OK = 0,
	GPU_INVALID_PARAMETER = 1,
	GPU_END_OF_BUFFER = 12, /* MAX_LIMIT_REACHED */
	GPU_NOT_INITIALIZED = 15,
	GPU_INVALID_KIND = 21,
	GPU_NOT_SUPPORTED = 27,
};

typedef void gpu_request(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void gpu_complete(
	void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

struct gpu_library {
	void *handle;
	uint32_t version; /* cuptiGetVersion() */
#define GPU_FUNCTION(name, params, needed) int(*name) params;
#include "collector/gpu/functions.def"
};

extern struct gpu_library gpu_library LINKAGE_HIDDEN;

/* Depth of our calls into the library on this thread. */
extern __thread uint32_t gpu_calling LINKAGE_TLS;

#define GPU_ASK(name, ...)                                                                         \
	({                                                                                         \
		gpu_calling++;                                                                     \
		int answer_ = gpu_library.name(__VA_ARGS__);                                       \
		gpu_calling--;                                                                     \
		answer_;                                                                           \
	})

#define GPU_REASON_BYTES 160u

/*
 * Find it and fill gpu_library. 0; -ENOENT: there is none; -ERR_UNSUPPORTED: it does not fit.
 * *ret_reason (GPU_REASON_BYTES) says why not.
 */
int gpu_library_open(const struct gpu_options *options, char *ret_reason);

#endif
