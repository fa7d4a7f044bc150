/* SPDX-License-Identifier: MIT */
#include "registry.h"
#include "runtime.h"

static CUdeviceptr device_address(const void *address)
{
	return (uintptr_t)address;
}

static void note(struct sim_call *call, int kind, size_t bytes)
{
	call->detail.set |= SIM_SET_KIND | SIM_SET_BYTES;
	call->detail.kind = (uint8_t)kind;
	call->detail.bytes = bytes;
}

int rt_cudaMemcpy(struct sim_call *call, void *target, const void *source, size_t bytes, int kind)
{
	int pt = call->per_thread;
	note(call, kind, bytes);
	switch (kind) {
	case CUDA_H2D:
		return driver.cuMemcpyHtoD[pt](device_address(target), source, bytes);
	case CUDA_D2H:
		return driver.cuMemcpyDtoH[pt](target, device_address(source), bytes);
	case CUDA_D2D:
		return driver.cuMemcpyDtoD[pt](
			device_address(target), device_address(source), bytes);
	case CUDA_H2H:
	case CUDA_COPY_DEFAULT:
		return driver.cuMemcpy[pt](device_address(target), device_address(source), bytes);
	default:
		return cudaErrorInvalidMemcpyDirection;
	}
}

int rt_cudaMemcpyAsync(struct sim_call *call, void *target, const void *source, size_t bytes,
	int kind, CUstream stream)
{
	int pt = call->per_thread;
	note(call, kind, bytes);
	switch (kind) {
	case CUDA_H2D:
		return driver.cuMemcpyHtoDAsync[pt](device_address(target), source, bytes, stream);
	case CUDA_D2H:
		return driver.cuMemcpyDtoHAsync[pt](target, device_address(source), bytes, stream);
	case CUDA_D2D:
		return driver.cuMemcpyDtoDAsync[pt](
			device_address(target), device_address(source), bytes, stream);
	case CUDA_H2H:
	case CUDA_COPY_DEFAULT:
		return driver.cuMemcpyAsync[pt](
			device_address(target), device_address(source), bytes, stream);
	default:
		return cudaErrorInvalidMemcpyDirection;
	}
}

int rt_cudaMemcpyPeer(struct sim_call *call, void *target, int target_device, const void *source,
	int source_device, size_t bytes)
{
	(void)target_device;
	(void)source_device;
	note(call, CUDA_D2D, bytes);
	return driver.cuMemcpyPeer[0](
		device_address(target), NULL, device_address(source), NULL, bytes);
}

int rt_cudaMemcpyPeerAsync(struct sim_call *call, void *target, int target_device,
	const void *source, int source_device, size_t bytes, CUstream stream)
{
	(void)target_device;
	(void)source_device;
	note(call, CUDA_D2D, bytes);
	return driver.cuMemcpyPeerAsync[0](
		device_address(target), NULL, device_address(source), NULL, bytes, stream);
}

static struct cu_memcpy_2d make_2d(void *target, size_t target_pitch, const void *source,
	size_t source_pitch, size_t width, size_t height)
{
	return (struct cu_memcpy_2d){.source_type = CU_SIDE_UNIFIED,
		.source_device = device_address(source),
		.source_pitch = source_pitch,
		.target_type = CU_SIDE_UNIFIED,
		.target_device = device_address(target),
		.target_pitch = target_pitch,
		.width = width,
		.height = height};
}

int rt_cudaMemcpy2D(struct sim_call *call, void *target, size_t target_pitch, const void *source,
	size_t source_pitch, size_t width, size_t height, int kind)
{
	struct cu_memcpy_2d copy =
		make_2d(target, target_pitch, source, source_pitch, width, height);
	note(call, kind, width * height);
	if (width > target_pitch || width > source_pitch)
		return cudaErrorInvalidPitchValue;
	return driver.cuMemcpy2DUnaligned[call->per_thread](&copy);
}

int rt_cudaMemcpy2DAsync(struct sim_call *call, void *target, size_t target_pitch,
	const void *source, size_t source_pitch, size_t width, size_t height, int kind,
	CUstream stream)
{
	struct cu_memcpy_2d copy =
		make_2d(target, target_pitch, source, source_pitch, width, height);
	note(call, kind, width * height);
	if (width > target_pitch || width > source_pitch)
		return cudaErrorInvalidPitchValue;
	return driver.cuMemcpy2DAsync[call->per_thread](&copy, stream);
}

/* The part of a variable that begins at offset and has that many bytes. */
static int find_part(const void *symbol, size_t bytes, size_t offset, void **ret_address)
{
	CUdeviceptr address;
	size_t size;
	int result = registry_variable(symbol, &address, &size);
	if (result)
		return result;
	if (offset > size || bytes > size - offset)
		return cudaErrorInvalidValue;
	*ret_address = (void *)(uintptr_t)(address + offset);
	return 0;
}

int rt_cudaMemcpyToSymbol(struct sim_call *call, const void *symbol, const void *source,
	size_t bytes, size_t offset, int kind)
{
	void *target;
	int result = find_part(symbol, bytes, offset, &target);
	return result ? result : rt_cudaMemcpy(call, target, source, bytes, kind);
}

int rt_cudaMemcpyFromSymbol(struct sim_call *call, void *target, const void *symbol, size_t bytes,
	size_t offset, int kind)
{
	void *source;
	int result = find_part(symbol, bytes, offset, &source);
	return result ? result : rt_cudaMemcpy(call, target, source, bytes, kind);
}

int rt_cudaMemcpyToSymbolAsync(struct sim_call *call, const void *symbol, const void *source,
	size_t bytes, size_t offset, int kind, CUstream stream)
{
	void *target;
	int result = find_part(symbol, bytes, offset, &target);
	return result ? result : rt_cudaMemcpyAsync(call, target, source, bytes, kind, stream);
}

int rt_cudaMemcpyFromSymbolAsync(struct sim_call *call, void *target, const void *symbol,
	size_t bytes, size_t offset, int kind, CUstream stream)
{
	void *source;
	int result = find_part(symbol, bytes, offset, &source);
	return result ? result : rt_cudaMemcpyAsync(call, target, source, bytes, kind, stream);
}

int rt_cudaMemset(struct sim_call *call, void *target, int value, size_t bytes)
{
	return driver.cuMemsetD8[call->per_thread](
		device_address(target), (unsigned char)value, bytes);
}

int rt_cudaMemsetAsync(
	struct sim_call *call, void *target, int value, size_t bytes, CUstream stream)
{
	return driver.cuMemsetD8Async[call->per_thread](
		device_address(target), (unsigned char)value, bytes, stream);
}

int rt_cudaMemset2D(
	struct sim_call *call, void *target, size_t pitch, int value, size_t width, size_t height)
{
	return driver.cuMemsetD2D8[call->per_thread](
		device_address(target), pitch, (unsigned char)value, width, height);
}

int rt_cudaMemset2DAsync(struct sim_call *call, void *target, size_t pitch, int value, size_t width,
	size_t height, CUstream stream)
{
	return driver.cuMemsetD2D8Async[call->per_thread](
		device_address(target), pitch, (unsigned char)value, width, height, stream);
}

/* Slices that follow each other without a gap are one set; else each is one. */
static int set_box(struct sim_call *call, struct cuda_pitched_pointer target, int value,
	struct cuda_extent extent, CUstream stream, int synchronous)
{
	int pt = call->per_thread, result = 0;
	int is_whole = extent.height == target.ysize || extent.depth == 1;
	size_t height = is_whole ? extent.height * extent.depth : extent.height;
	size_t slices = is_whole && extent.depth ? 1 : extent.depth;
	call->detail.set |= SIM_SET_BYTES;
	call->detail.bytes = extent.width * extent.height * extent.depth;
	if (extent.width > target.pitch)
		return cudaErrorInvalidPitchValue;
	for (size_t i = 0; i < slices && result == 0; i++) {
		CUdeviceptr at = device_address(target.pointer) + i * target.pitch * target.ysize;
		unsigned char byte = (unsigned char)value;
		if (synchronous)
			result = driver.cuMemsetD2D8[pt](
				at, target.pitch, byte, extent.width, height);
		else
			result = driver.cuMemsetD2D8Async[pt](
				at, target.pitch, byte, extent.width, height, stream);
	}
	return result;
}

int rt_cudaMemset3D(struct sim_call *call, struct cuda_pitched_pointer target, int value,
	struct cuda_extent extent)
{
	return set_box(call, target, value, extent, NULL, 1);
}

int rt_cudaMemset3DAsync(struct sim_call *call, struct cuda_pitched_pointer target, int value,
	struct cuda_extent extent, CUstream stream)
{
	return set_box(call, target, value, extent, stream, 0);
}

int rt_cudaGetSymbolAddress(struct sim_call *call, void **ret_address, const void *symbol)
{
	(void)call;
	return ret_address ? find_part(symbol, 0, 0, ret_address) : cudaErrorInvalidValue;
}

int rt_cudaGetSymbolSize(struct sim_call *call, size_t *ret_bytes, const void *symbol)
{
	CUdeviceptr address;
	(void)call;
	return ret_bytes ? registry_variable(symbol, &address, ret_bytes) : cudaErrorInvalidValue;
}
