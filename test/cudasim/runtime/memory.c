/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "runtime.h"

static CUdeviceptr device_address(const void *address)
{
	return (uintptr_t)address;
}

/* A driver function has filled in address; a request for nothing gives NULL and succeeds. */
static int give(int result, const CUdeviceptr *address, void **ret_address)
{
	if (result == 0)
		*ret_address = (void *)(uintptr_t)*address;
	return result;
}

int rt_cudaMalloc(struct sim_call *call, void **ret_address, size_t bytes)
{
	CUdeviceptr address = 0;
	call->detail.set |= SIM_SET_BYTES;
	call->detail.bytes = bytes;
	if (!ret_address)
		return cudaErrorInvalidValue;
	return give(bytes ? driver.cuMemAlloc(&address, bytes) : 0, &address, ret_address);
}

int rt_cudaMallocPitch(
	struct sim_call *call, void **ret_address, size_t *ret_pitch, size_t width, size_t height)
{
	CUdeviceptr address = 0;
	(void)call;
	if (!ret_address || !ret_pitch)
		return cudaErrorInvalidValue;
	return give(driver.cuMemAllocPitch(&address, ret_pitch, width, height, 4), &address,
		ret_address);
}

int rt_cudaMalloc3D(
	struct sim_call *call, struct cuda_pitched_pointer *ret_place, struct cuda_extent extent)
{
	void *address;
	size_t pitch;
	if (!ret_place)
		return cudaErrorInvalidValue;
	int result = rt_cudaMallocPitch(
		call, &address, &pitch, extent.width, extent.height * extent.depth);
	if (result)
		return result;
	*ret_place = (struct cuda_pitched_pointer){address, pitch, extent.width, extent.height};
	call->detail.set |= SIM_SET_BYTES | SIM_SET_ADDRESS;
	call->detail.bytes = pitch * extent.height * extent.depth;
	call->detail.address = (uintptr_t)address;
	return 0;
}

int rt_cudaMallocManaged(struct sim_call *call, void **ret_address, size_t bytes, unsigned flags)
{
	CUdeviceptr address = 0;
	(void)call;
	if (!ret_address)
		return cudaErrorInvalidValue;
	return give(driver.cuMemAllocManaged(&address, bytes, flags), &address, ret_address);
}

int rt_cudaFree(struct sim_call *call, void *address)
{
	(void)call;
	return address ? driver.cuMemFree(device_address(address)) : 0;
}

int rt_cudaMallocHost(struct sim_call *call, void **ret_address, size_t bytes)
{
	(void)call;
	return driver.cuMemHostAlloc(ret_address, bytes, 0);
}

int rt_cudaFreeHost(struct sim_call *call, void *address)
{
	(void)call;
	return address ? driver.cuMemFreeHost(address) : 0;
}

int rt_cudaHostGetDevicePointer(
	struct sim_call *call, void **ret_address, void *host, unsigned flags)
{
	CUdeviceptr address = 0;
	(void)call;
	if (!ret_address)
		return cudaErrorInvalidValue;
	return give(driver.cuMemHostGetDevicePointer(&address, host, flags), &address, ret_address);
}

int rt_cudaPointerGetAttributes(
	struct sim_call *call, struct cuda_pointer_attributes *ret_attributes, const void *address)
{
	int attributes[] = {2, 9, 3, 4, 8}; /* type, device, device and host pointer, managed */
	unsigned type = 0, managed = 0;
	int device = -2;
	void *device_pointer = NULL, *host_pointer = NULL;
	void *values[] = {&type, &device, &device_pointer, &host_pointer, &managed};
	(void)call;
	if (!ret_attributes)
		return cudaErrorInvalidValue;
	int result = driver.cuPointerGetAttributes(5, attributes, values, device_address(address));
	if (result)
		return result;
	ret_attributes->type = managed ? CUDA_MANAGED : (int)type;
	ret_attributes->device = device;
	ret_attributes->device_pointer = device_pointer;
	ret_attributes->host_pointer = host_pointer;
	if (type == CUDA_UNREGISTERED)
		ret_attributes->host_pointer = (void *)(uintptr_t)address;
#if CUDART_MAJOR >= 13
	memset(ret_attributes->reserved, 0, sizeof(ret_attributes->reserved));
#endif
	return 0;
}

int rt_cudaMallocAsync(struct sim_call *call, void **ret_address, size_t bytes, CUstream stream)
{
	CUdeviceptr address = 0;
	if (!ret_address)
		return cudaErrorInvalidValue;
	return give(driver.cuMemAllocAsync[call->per_thread](&address, bytes, stream), &address,
		ret_address);
}

int rt_cudaMallocFromPoolAsync(
	struct sim_call *call, void **ret_address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	CUdeviceptr address = 0;
	if (!ret_address)
		return cudaErrorInvalidValue;
	return give(driver.cuMemAllocFromPoolAsync[call->per_thread](&address, bytes, pool, stream),
		&address, ret_address);
}

int rt_cudaFreeAsync(struct sim_call *call, void *address, CUstream stream)
{
	return driver.cuMemFreeAsync[call->per_thread](device_address(address), stream);
}

#if CUDART_MAJOR == 12
int rt_cudaMemPrefetchAsync(
	struct sim_call *call, const void *address, size_t bytes, int device, CUstream stream)
{
	return driver.cuMemPrefetchAsync[call->per_thread](
		device_address(address), bytes, device, stream);
}

int rt_cudaMemAdvise(
	struct sim_call *call, const void *address, size_t bytes, int advice, int device)
{
	(void)call;
	return driver.cuMemAdvise(device_address(address), bytes, advice, device);
}
#else
#define rt_cudaMemPrefetchAsync_v2 rt_cudaMemPrefetchAsync
#define rt_cudaMemAdvise_v2        rt_cudaMemAdvise
#endif

int rt_cudaMemPrefetchAsync_v2(struct sim_call *call, const void *address, size_t bytes,
	struct cuda_location location, unsigned flags, CUstream stream)
{
	return driver.cuMemPrefetchAsync_v2[call->per_thread](
		device_address(address), bytes, location, flags, stream);
}

int rt_cudaMemAdvise_v2(struct sim_call *call, const void *address, size_t bytes, int advice,
	struct cuda_location location)
{
	(void)call;
	return driver.cuMemAdvise_v2(device_address(address), bytes, advice, location);
}
