/* SPDX-License-Identifier: MIT */
/*
 * Devices and contexts.
 *
 * A device has its memory, three copy engines, a primary context and a default memory pool. A
 * context has the legacy default stream and knows how long anything of it is busy. Contexts are
 * made for the whole process and are only marked when they are destroyed; the current context is
 * a property of a thread, with the stack that cuCtxPushCurrent asks for.
 */
#ifndef CUDASIM_CORE_CONTEXT_H
#define CUDASIM_CORE_CONTEXT_H

#include <stdint.h>

#include "../cuda_abi.h"
#include "arena.h"
#include "engine.h"
#include "stream.h"

enum {
	ENGINE_H2D,
	ENGINE_D2H,
	ENGINE_D2D,
	ENGINE_COUNT,
	ENGINE_NONE = -1
};

struct CUctx_st {
	uint32_t id; /* 1, 2, ... */
	int device;
	unsigned flags;
	unsigned references; /* of a primary context */
	int destroyed;
	struct CUstream_st legacy;
	struct sim_point blocking; /* end of all that blocking streams hold */
	struct sim_point latest;   /* end of everything */
	size_t limits[16];
	uint32_t peers; /* devices whose memory may be accessed, as bits */
	int cache_config;
};

struct CUpool_st {
	int device;
	uint64_t used_bytes, used_high_bytes, release_threshold_bytes;
	int reuse[3];
};

struct device {
	int number;
	struct arena memory;
	struct engine engines[ENGINE_COUNT];
	struct CUctx_st primary;
	struct CUpool_st pool;
	CUmemoryPool current_pool;
};

/* NULL if there is no such device. Any thread. */
struct device *device_get(int number);

/* The device whose memory holds the address, NULL if none does. Any thread, no lock. */
struct device *device_of_address(const void *address);

/* The calling thread's current context, NULL if none. */
CUcontext context_current(void);

/* The device of the calling thread's context; only where a context is certain. */
struct device *context_device(void);

void context_set_current(CUcontext context);

/* 0, or an error: the stack is full; it is empty. *ret_context is the one taken off. */
int context_push(CUcontext context);
int context_pop(CUcontext *ret_context);

/* A further context on that device, NULL when out of memory. */
CUcontext context_create(struct device *device, unsigned flags);

#endif
