/* SPDX-License-Identifier: MIT */
/*
 * All memory a program can name: device memory of each device, pinned and managed memory, host
 * memory registered with the driver, and everything else, which is pageable.
 *
 * Device, pinned and managed memory are arenas, so most questions are answered by comparing
 * addresses; registered ranges are kept in a list. Functions take the state's lock themselves.
 */
#ifndef CUDASIM_CORE_MEMORY_H
#define CUDASIM_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "sim.h"

struct memory_info {
	enum sim_memory kind;
	int device;     /* of device memory; the one that was current for the rest; -1: pageable */
	char *base;     /* of the block; NULL when the kind is pageable */
	size_t bytes;   /* as asked for */
	uint32_t flags; /* of cudaHostAlloc, cudaHostRegister, cudaMallocManaged */
	int registered; /* by cudaHostRegister */
};

/* What kind of memory the address lies in. */
enum sim_memory memory_kind(const void *address);

/* The same and more; device memory that belongs to no block has base NULL. */
struct memory_info memory_info(const void *address);

/* 1 if the whole range may be copied: host memory, or inside one block. */
int memory_is_range(const void *address, size_t bytes);

/* NULL when there is none left. */
void *memory_alloc_device(struct device *device, size_t bytes);
void *memory_alloc_pinned(size_t bytes, uint32_t flags);
void *memory_alloc_managed(size_t bytes, uint32_t flags);

/* Device or managed memory; 0, or cudaErrorInvalidValue if no block begins there. */
int memory_free_device(void *address);
int memory_free_pinned(void *address);

/* 0; cudaErrorHostMemoryAlreadyRegistered, ...NotRegistered, cudaErrorInvalidValue. */
int memory_register(void *address, size_t bytes, uint32_t flags);
int memory_unregister(void *address);

#endif
