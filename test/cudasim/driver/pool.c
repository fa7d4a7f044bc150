/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "../core/memory.h"
#include "../core/state.h"
#include "driver.h"

/* Memory pools and virtual memory: bookkeeping only, the memory is the device's arena. */

/* Numbers of CUmemPool_attribute. */
enum pool_attribute {
	POOL_REUSE_FIRST = 1,
	POOL_REUSE_LAST = 3,
	POOL_RELEASE_THRESHOLD = 4,
	POOL_RESERVED = 5,
	POOL_RESERVED_HIGH = 6,
	POOL_USED = 7,
	POOL_USED_HIGH = 8,
};

#define GRANULARITY (2u << 20)

/* CUmemLocation at its place in CUmemPoolProps and CUmemAllocationProp. */
struct properties {
	int type, handle_types, location_type, location_id;
};

int sim_cuMemAllocFromPoolAsync(struct sim_call *call, CUdeviceptr *ret_address, size_t bytes,
	CUmemoryPool pool, CUstream handle)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!ret_address || !pool)
		return cudaErrorInvalidValue;
	void *address = bytes ? memory_alloc_device(device_get(pool->device), bytes) : NULL;
	if (bytes && !address)
		return cudaErrorMemoryAllocation;
	state_lock();
	pool->used_bytes += bytes;
	if (pool->used_bytes > pool->used_high_bytes)
		pool->used_high_bytes = pool->used_bytes;
	state_unlock();
	call->detail.set |= SIM_SET_BYTES | SIM_SET_ADDRESS;
	call->detail.bytes = bytes;
	call->detail.address = (uintptr_t)address;
	call->detail.target = SIM_DEVICE;
	*ret_address = (uintptr_t)address;
	return 0;
}

int sim_cuMemAllocAsync(
	struct sim_call *call, CUdeviceptr *ret_address, size_t bytes, CUstream stream)
{
	return sim_cuMemAllocFromPoolAsync(
		call, ret_address, bytes, context_device()->current_pool, stream);
}

int sim_cuMemFreeAsync(struct sim_call *call, CUdeviceptr address, CUstream handle)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	struct memory_info info = memory_info((void *)(uintptr_t)address);
	if ((uintptr_t)info.base != address)
		return cudaErrorInvalidValue;
	call->detail.set |= SIM_SET_BYTES | SIM_SET_ADDRESS;
	call->detail.bytes = info.bytes;
	call->detail.address = address;
	call->detail.target = SIM_DEVICE;
	struct device *device = device_of_address(info.base);
	state_lock();
	if (device && device->current_pool->used_bytes >= info.bytes)
		device->current_pool->used_bytes -= info.bytes;
	state_unlock();
	return memory_free_device(info.base);
}

int sim_cuMemPoolCreate(struct sim_call *call, CUmemoryPool *ret_pool, const void *properties)
{
	const struct properties *wanted = properties;
	(void)call;
	if (!ret_pool || !wanted || !device_get(wanted->location_id))
		return cudaErrorInvalidValue;
	CUmemoryPool pool = calloc(1, sizeof(*pool));
	if (!pool)
		return cudaErrorMemoryAllocation;
	pool->device = wanted->location_id;
	pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
	*ret_pool = pool;
	return 0;
}

int sim_cuMemPoolDestroy(struct sim_call *call, CUmemoryPool pool)
{
	(void)call;
	if (!pool || pool == &device_get(pool->device)->pool)
		return cudaErrorInvalidValue;
	if (device_get(pool->device)->current_pool == pool)
		device_get(pool->device)->current_pool = &device_get(pool->device)->pool;
	free(pool);
	return 0;
}

int sim_cuMemPoolTrimTo(struct sim_call *call, CUmemoryPool pool, size_t bytes)
{
	(void)call;
	(void)bytes;
	return pool ? 0 : cudaErrorInvalidValue;
}

int sim_cuMemPoolGetAttribute(
	struct sim_call *call, CUmemoryPool pool, int attribute, void *ret_value)
{
	uint64_t value;
	(void)call;
	if (!pool || !ret_value)
		return cudaErrorInvalidValue;
	if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST) {
		memcpy(ret_value, &pool->reuse[attribute - POOL_REUSE_FIRST], sizeof(int));
		return 0;
	}
	if (attribute == POOL_RELEASE_THRESHOLD)
		value = pool->release_threshold_bytes;
	else if (attribute == POOL_RESERVED || attribute == POOL_USED)
		value = pool->used_bytes;
	else if (attribute == POOL_RESERVED_HIGH || attribute == POOL_USED_HIGH)
		value = pool->used_high_bytes;
	else
		return cudaErrorInvalidValue;
	memcpy(ret_value, &value, sizeof(value));
	return 0;
}

int sim_cuMemPoolSetAttribute(struct sim_call *call, CUmemoryPool pool, int attribute, void *value)
{
	(void)call;
	if (!pool || !value)
		return cudaErrorInvalidValue;
	if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST)
		memcpy(&pool->reuse[attribute - POOL_REUSE_FIRST], value, sizeof(int));
	else if (attribute == POOL_RELEASE_THRESHOLD)
		memcpy(&pool->release_threshold_bytes, value, sizeof(uint64_t));
	else if (attribute == POOL_RESERVED_HIGH || attribute == POOL_USED_HIGH)
		pool->used_high_bytes = pool->used_bytes;
	else
		return cudaErrorInvalidValue;
	return 0;
}

int sim_cuMemPoolSetAccess(struct sim_call *call, CUmemoryPool pool, const void *list, size_t count)
{
	(void)call;
	return pool && (list || count == 0) ? 0 : cudaErrorInvalidValue;
}

/* The whole arena is one mapping, so a prefetch or an advice changes nothing. */
int sim_cuMemPrefetchAsync(
	struct sim_call *call, CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
	(void)bytes;
	(void)device;
	if (!stream_of_call(call, stream))
		return cudaErrorInvalidResourceHandle;
	return memory_kind((void *)(uintptr_t)address) == SIM_MANAGED ? 0 : cudaErrorInvalidValue;
}

int sim_cuMemAdvise(
	struct sim_call *call, CUdeviceptr address, size_t bytes, int advice, CUdevice device)
{
	(void)call;
	(void)bytes;
	(void)advice;
	(void)device;
	return memory_kind((void *)(uintptr_t)address) == SIM_MANAGED ? 0 : cudaErrorInvalidValue;
}

/*
 * Virtual memory: a reserved range is a block of the arena that does not count as used; physical
 * memory is a handle that counts. Mapping one into the other needs no action.
 */
struct physical {
	size_t bytes;
	int device;
};

int sim_cuMemAddressReserve(struct sim_call *call, CUdeviceptr *ret_address, size_t bytes,
	size_t alignment, CUdeviceptr hint, uint64_t flags)
{
	struct device *device = context_device();
	(void)call;
	(void)hint;
	if (!ret_address || bytes == 0 || bytes % GRANULARITY || flags ||
		alignment & (alignment - 1))
		return cudaErrorInvalidValue;
	state_lock();
	size_t limit = device->memory.limit;
	device->memory.limit = SIZE_MAX;
	char *address = arena_alloc_aligned(
		&device->memory, bytes, alignment > GRANULARITY ? alignment : GRANULARITY, 0);
	device->memory.limit = limit;
	if (address)
		device->memory.used -= bytes;
	state_unlock();
	*ret_address = (uintptr_t)address;
	return address ? 0 : cudaErrorMemoryAllocation;
}

int sim_cuMemAddressFree(struct sim_call *call, CUdeviceptr address, size_t bytes)
{
	struct device *device = device_of_address((void *)(uintptr_t)address);
	(void)call;
	if (!device)
		return cudaErrorInvalidValue;
	state_lock();
	device->memory.used += bytes;
	int result = arena_free(&device->memory, (void *)(uintptr_t)address);
	if (result)
		device->memory.used -= bytes;
	state_unlock();
	return result ? cudaErrorInvalidValue : 0;
}

int sim_cuMemCreate(struct sim_call *call, uint64_t *ret_handle, size_t bytes,
	const void *properties, uint64_t flags)
{
	const struct properties *wanted = properties;
	(void)call;
	if (!ret_handle || !wanted || flags || bytes % GRANULARITY ||
		!device_get(wanted->location_id))
		return cudaErrorInvalidValue;
	struct arena *memory = &device_get(wanted->location_id)->memory;
	struct physical *physical = malloc(sizeof(*physical));
	state_lock();
	int fits = physical && bytes <= memory->limit && memory->used <= memory->limit - bytes;
	if (fits)
		memory->used += bytes;
	state_unlock();
	if (!fits) {
		free(physical);
		return cudaErrorMemoryAllocation;
	}
	*physical = (struct physical){bytes, wanted->location_id};
	*ret_handle = (uintptr_t)physical;
	return 0;
}

int sim_cuMemRelease(struct sim_call *call, uint64_t handle)
{
	struct physical *physical = (struct physical *)(uintptr_t)handle;
	(void)call;
	if (!physical)
		return cudaErrorInvalidValue;
	state_lock();
	device_get(physical->device)->memory.used -= physical->bytes;
	state_unlock();
	free(physical);
	return 0;
}

int sim_cuMemMap(struct sim_call *call, CUdeviceptr address, size_t bytes, size_t offset,
	uint64_t handle, uint64_t flags)
{
	(void)call;
	(void)bytes;
	return device_of_address((void *)(uintptr_t)address) && handle && !offset && !flags
		       ? 0
		       : cudaErrorInvalidValue;
}

int sim_cuMemUnmap(struct sim_call *call, CUdeviceptr address, size_t bytes)
{
	(void)call;
	(void)bytes;
	return device_of_address((void *)(uintptr_t)address) ? 0 : cudaErrorInvalidValue;
}

int sim_cuMemSetAccess(
	struct sim_call *call, CUdeviceptr address, size_t bytes, const void *list, size_t count)
{
	(void)call;
	(void)bytes;
	return device_of_address((void *)(uintptr_t)address) && list && count
		       ? 0
		       : cudaErrorInvalidValue;
}

int sim_cuMemGetAllocationGranularity(
	struct sim_call *call, size_t *ret_bytes, const void *properties, int option)
{
	(void)call;
	(void)option;
	if (!ret_bytes || !properties)
		return cudaErrorInvalidValue;
	*ret_bytes = GRANULARITY;
	return 0;
}
