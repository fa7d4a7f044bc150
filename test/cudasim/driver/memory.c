/* SPDX-License-Identifier: MIT */
#include "../core/memory.h"

#include <string.h>

#include "../core/capture.h"
#include "../core/state.h"
#include "driver.h"

#define PITCH_ALIGN 512u

static void *pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* Notes the result of an allocation in the call and hands it out. */
static int give(struct sim_call *call, void *address, size_t bytes, void *ret_address)
{
	call->detail.set |= SIM_SET_BYTES | SIM_SET_ADDRESS;
	call->detail.bytes = bytes;
	call->detail.address = (uintptr_t)address;
	call->detail.target = (uint8_t)memory_kind(address);
	memcpy(ret_address, &address, sizeof(address));
	return address || bytes == 0 ? 0 : cudaErrorMemoryAllocation;
}

static void note_address(struct sim_call *call, const void *address)
{
	call->detail.target = (uint8_t)memory_kind(address);
	call->detail.set |= SIM_SET_ADDRESS | SIM_SET_BYTES;
	call->detail.address = (uintptr_t)address;
	call->detail.bytes = memory_info(address).bytes;
}

int sim_cuMemGetInfo_v2(struct sim_call *call, size_t *ret_free, size_t *ret_total)
{
	struct device *device = context_device();
	(void)call;
	state_lock();
	*ret_free = device->memory.limit - device->memory.used;
	*ret_total = device->memory.limit;
	state_unlock();
	return 0;
}

int sim_cuMemAlloc_v2(struct sim_call *call, CUdeviceptr *ret_address, size_t bytes)
{
	int result = capture_check_unsafe();
	if (result)
		return result;
	if (!ret_address || bytes == 0)
		return cudaErrorInvalidValue;
	call->detail.set |= SIM_SET_DEVICE;
	call->detail.device = (uint32_t)context_device()->number;
	return give(call, memory_alloc_device(context_device(), bytes), bytes, ret_address);
}

int sim_cuMemAllocPitch_v2(struct sim_call *call, CUdeviceptr *ret_address, size_t *ret_pitch,
	size_t width, size_t height, unsigned element)
{
	if (element != 4 && element != 8 && element != 16)
		return cudaErrorInvalidValue;
	*ret_pitch = (width + PITCH_ALIGN - 1) & ~(size_t)(PITCH_ALIGN - 1);
	return sim_cuMemAlloc_v2(call, ret_address, *ret_pitch * height);
}

/* cudaFree waits for the device: the memory may still be in use. */
int sim_cuMemFree_v2(struct sim_call *call, CUdeviceptr address)
{
	int result = capture_check_unsafe();
	if (result)
		return result;
	note_address(call, pointer(address));
	if (memory_info(pointer(address)).base != pointer(address))
		return cudaErrorInvalidValue;
	state_lock();
	struct sim_point point = context_current()->latest;
	state_unlock();
	point_wait(call, point);
	return memory_free_device(pointer(address));
}

int sim_cuMemHostAlloc(struct sim_call *call, void **ret_address, size_t bytes, unsigned flags)
{
	int result = capture_check_unsafe();
	if (result)
		return result;
	if (!ret_address || flags & ~7u)
		return cudaErrorInvalidValue;
	call->detail.set |= SIM_SET_FLAGS;
	call->detail.flags = flags;
	return give(call, bytes ? memory_alloc_pinned(bytes, flags) : NULL, bytes, ret_address);
}

int sim_cuMemAllocHost_v2(struct sim_call *call, void **ret_address, size_t bytes)
{
	return sim_cuMemHostAlloc(call, ret_address, bytes, 0);
}

/* The device may still use it. */
static void wait_for_all(struct sim_call *call)
{
	state_lock();
	struct sim_point point = context_current()->latest;
	state_unlock();
	point_wait(call, point);
}

int sim_cuMemFreeHost(struct sim_call *call, void *address)
{
	int result = capture_check_unsafe();
	if (result)
		return result;
	note_address(call, address);
	if (memory_info(address).registered)
		return cudaErrorInvalidValue;
	wait_for_all(call);
	return memory_free_pinned(address);
}

int sim_cuMemHostGetDevicePointer_v2(
	struct sim_call *call, CUdeviceptr *ret_address, void *host, unsigned flags)
{
	(void)call;
	if (flags || memory_kind(host) != SIM_PINNED)
		return cudaErrorInvalidValue;
	*ret_address = (uintptr_t)host;
	return 0;
}

int sim_cuMemHostGetFlags(struct sim_call *call, unsigned *ret_flags, void *address)
{
	(void)call;
	if (memory_kind(address) != SIM_PINNED)
		return cudaErrorInvalidValue;
	*ret_flags = memory_info(address).flags;
	return 0;
}

int sim_cuMemHostRegister_v2(struct sim_call *call, void *address, size_t bytes, unsigned flags)
{
	int result = capture_check_unsafe();
	call->detail.set |= SIM_SET_ADDRESS | SIM_SET_BYTES | SIM_SET_FLAGS;
	call->detail.address = (uintptr_t)address;
	call->detail.bytes = bytes;
	call->detail.flags = flags;
	return result ? result : memory_register(address, bytes, flags);
}

int sim_cuMemHostUnregister(struct sim_call *call, void *address)
{
	int result = capture_check_unsafe();
	note_address(call, address);
	if (result)
		return result;
	if (memory_info(address).registered)
		wait_for_all(call);
	return memory_unregister(address);
}

int sim_cuMemAllocManaged(
	struct sim_call *call, CUdeviceptr *ret_address, size_t bytes, unsigned flags)
{
	int result = capture_check_unsafe();
	if (result)
		return result;
	if (!ret_address || bytes == 0 || (flags != 1 && flags != 2))
		return cudaErrorInvalidValue;
	return give(call, memory_alloc_managed(bytes, flags), bytes, ret_address);
}

int sim_cuMemGetAddressRange_v2(
	struct sim_call *call, CUdeviceptr *ret_base, size_t *ret_bytes, CUdeviceptr address)
{
	struct memory_info info = memory_info(pointer(address));
	(void)call;
	if (!info.base)
		return cudaErrorSymbolNotFound; /* CUDA_ERROR_NOT_FOUND */
	if (ret_base)
		*ret_base = (uintptr_t)info.base;
	if (ret_bytes)
		*ret_bytes = info.bytes;
	return 0;
}

/* Numbers of CUpointer_attribute. */
enum pointer_attribute {
	POINTER_CONTEXT = 1,
	POINTER_MEMORY_TYPE = 2,
	POINTER_DEVICE_POINTER = 3,
	POINTER_HOST_POINTER = 4,
	POINTER_SYNC_MEMOPS = 6,
	POINTER_BUFFER_ID = 7,
	POINTER_IS_MANAGED = 8,
	POINTER_DEVICE_ORDINAL = 9,
	POINTER_LEGACY_IPC = 10,
	POINTER_RANGE_START = 11,
	POINTER_RANGE_SIZE = 12,
	POINTER_MAPPED = 13,
};

enum {
	TYPE_HOST = 1,
	TYPE_DEVICE = 2
}; /* CUmemorytype */

static int store(void *ret_value, uint64_t value, size_t bytes)
{
	memcpy(ret_value, &value, bytes);
	return 0;
}

int sim_cuPointerGetAttribute(
	struct sim_call *call, void *ret_value, int attribute, CUdeviceptr address)
{
	struct memory_info info = memory_info(pointer(address));
	int on_host = info.kind == SIM_PINNED;
	(void)call;
	if (!ret_value || info.kind == SIM_PAGEABLE || !info.base)
		return cudaErrorInvalidValue;
	switch (attribute) {
	case POINTER_CONTEXT:
		return store(ret_value,
			(uintptr_t)&device_get(info.device < 0 ? 0 : info.device)->primary, 8);
	case POINTER_MEMORY_TYPE:
		return store(ret_value, on_host ? TYPE_HOST : TYPE_DEVICE, 4);
	case POINTER_HOST_POINTER:
		if (info.kind == SIM_DEVICE)
			return cudaErrorInvalidValue;
		return store(ret_value, address, 8);
	case POINTER_DEVICE_POINTER:
		return store(ret_value, address, 8);
	case POINTER_SYNC_MEMOPS:
	case POINTER_LEGACY_IPC:
		return store(ret_value, 0, 4);
	case POINTER_BUFFER_ID:
		return store(ret_value, (uintptr_t)info.base >> 9, 8);
	case POINTER_IS_MANAGED:
		return store(ret_value, info.kind == SIM_MANAGED, 4);
	case POINTER_DEVICE_ORDINAL:
		return store(ret_value, (uint64_t)(info.device < 0 ? 0 : info.device), 4);
	case POINTER_RANGE_START:
		return store(ret_value, (uintptr_t)info.base, 8);
	case POINTER_RANGE_SIZE:
		return store(ret_value, info.bytes, 8);
	case POINTER_MAPPED:
		return store(ret_value, 1, 4);
	default:
		return cudaErrorNotSupported;
	}
}

static size_t attribute_bytes(int attribute)
{
	switch (attribute) {
	case POINTER_MEMORY_TYPE:
	case POINTER_SYNC_MEMOPS:
	case POINTER_IS_MANAGED:
	case POINTER_DEVICE_ORDINAL:
	case POINTER_LEGACY_IPC:
	case POINTER_MAPPED:
		return 4;
	default:
		return 8;
	}
}

/* Unlike the single form, an address that is not known is no error: the values are zero. */
int sim_cuPointerGetAttributes(struct sim_call *call, unsigned count, int *attributes,
	void **ret_values, CUdeviceptr address)
{
	if (!attributes || !ret_values)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < count; i++) {
		int result = sim_cuPointerGetAttribute(call, ret_values[i], attributes[i], address);
		if (result == cudaErrorNotSupported)
			return result;
		if (result && attributes[i] == POINTER_DEVICE_ORDINAL)
			(void)store(ret_values[i], (uint32_t)-2, 4);
		else if (result)
			(void)store(ret_values[i], 0, attribute_bytes(attributes[i]));
	}
	return 0;
}
