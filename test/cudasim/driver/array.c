/* SPDX-License-Identifier: MIT */
#include "array.h"

#include <stdlib.h>

#include "../core/copy.h"
#include "../core/memory.h"
#include "driver.h"

#define ARRAY_MAGIC 0x4152524159313131ull

struct CUarray_st {
	uint64_t magic;
	char *memory;
	size_t bytes, element;
	struct cu_array_3d_format format;
};

/* Bytes of a channel by CUarray_format; 0: not one that is supported. */
static size_t channel_bytes(int format)
{
	switch (format) {
	case 0x01:
	case 0x08:
		return 1;
	case 0x02:
	case 0x09:
	case 0x10:
		return 2;
	case 0x03:
	case 0x0a:
	case 0x20:
		return 4;
	default:
		return 0;
	}
}

int sim_cuArray3DCreate_v2(
	struct sim_call *call, CUarray *ret_array, const struct cu_array_3d_format *format)
{
	if (!ret_array || !format || format->width == 0)
		return cudaErrorInvalidValue;
	size_t elements = format->width * (format->height ? format->height : 1) *
			  (format->depth ? format->depth : 1);
	size_t element = format->channels * channel_bytes(format->format);
	size_t bytes = elements * element;
	CUarray array = bytes ? calloc(1, sizeof(*array)) : NULL;
	if (!array)
		return bytes ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
	array->memory = memory_alloc_device(context_device(), bytes);
	if (!array->memory) {
		free(array);
		return cudaErrorMemoryAllocation;
	}
	array->magic = ARRAY_MAGIC;
	array->bytes = bytes;
	array->element = element;
	array->format = *format;
	call->detail.set |= SIM_SET_ADDRESS;
	call->detail.address = (uintptr_t)array;
	*ret_array = array;
	return 0;
}

int sim_cuArrayCreate_v2(
	struct sim_call *call, CUarray *ret_array, const struct cu_array_format *format)
{
	if (!format)
		return cudaErrorInvalidValue;
	struct cu_array_3d_format more = {
		format->width, format->height, 0, format->format, format->channels, 0};
	return sim_cuArray3DCreate_v2(call, ret_array, &more);
}

static int is_valid(CUarray array)
{
	return array && array->magic == ARRAY_MAGIC;
}

int array_layout(CUarray array, struct array_layout *ret_layout)
{
	if (!is_valid(array))
		return 0;
	*ret_layout = (struct array_layout){array->memory, array->format.width * array->element,
		array->format.height ? array->format.height : 1, array->element};
	return 1;
}

int sim_cuArray3DGetDescriptor_v2(
	struct sim_call *call, struct cu_array_3d_format *ret_format, CUarray array)
{
	(void)call;
	if (!is_valid(array))
		return cudaErrorInvalidResourceHandle;
	if (!ret_format)
		return cudaErrorInvalidValue;
	*ret_format = array->format;
	return 0;
}

int sim_cuArrayDestroy(struct sim_call *call, CUarray array)
{
	if (!is_valid(array))
		return cudaErrorInvalidResourceHandle;
	call->detail.set |= SIM_SET_ADDRESS;
	call->detail.address = (uintptr_t)array;
	array->magic = 0;
	int result = memory_free_device(array->memory);
	free(array);
	return result;
}

/* The bytes of the array from offset, NULL when they are not all there. */
static char *part(CUarray array, size_t offset, size_t bytes)
{
	if (!is_valid(array) || offset > array->bytes || bytes > array->bytes - offset)
		return NULL;
	return array->memory + offset;
}

/* arrays: bits of enum copy_side. */
static int copy(struct sim_call *call, char *target, const char *source, size_t bytes, int arrays,
	CUstream handle, int synchronous)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!target || !source)
		return cudaErrorInvalidValue;
	struct copy_request request =
		copy_range(target, source, bytes, CUDA_COPY_DEFAULT, synchronous);
	request.box.arrays = (uint8_t)arrays;
	return copy_submit(call, stream, &request);
}

static char *pointer(CUdeviceptr address)
{
	return (char *)(uintptr_t)address;
}

int sim_cuMemcpyHtoA_v2(
	struct sim_call *call, CUarray target, size_t offset, const void *source, size_t bytes)
{
	return copy(call, part(target, offset, bytes), source, bytes, COPY_TO_ARRAY, NULL, 1);
}

int sim_cuMemcpyAtoH_v2(
	struct sim_call *call, void *target, CUarray source, size_t offset, size_t bytes)
{
	return copy(call, target, part(source, offset, bytes), bytes, COPY_FROM_ARRAY, NULL, 1);
}

int sim_cuMemcpyDtoA_v2(
	struct sim_call *call, CUarray target, size_t offset, CUdeviceptr source, size_t bytes)
{
	return copy(
		call, part(target, offset, bytes), pointer(source), bytes, COPY_TO_ARRAY, NULL, 1);
}

int sim_cuMemcpyAtoD_v2(
	struct sim_call *call, CUdeviceptr target, CUarray source, size_t offset, size_t bytes)
{
	return copy(call, pointer(target), part(source, offset, bytes), bytes, COPY_FROM_ARRAY,
		NULL, 1);
}

int sim_cuMemcpyAtoA_v2(struct sim_call *call, CUarray target, size_t target_offset, CUarray source,
	size_t source_offset, size_t bytes)
{
	return copy(call, part(target, target_offset, bytes), part(source, source_offset, bytes),
		bytes, COPY_FROM_ARRAY | COPY_TO_ARRAY, NULL, 1);
}

int sim_cuMemcpyHtoAAsync_v2(struct sim_call *call, CUarray target, size_t offset,
	const void *source, size_t bytes, CUstream stream)
{
	return copy(call, part(target, offset, bytes), source, bytes, COPY_TO_ARRAY, stream, 0);
}

int sim_cuMemcpyAtoHAsync_v2(struct sim_call *call, void *target, CUarray source, size_t offset,
	size_t bytes, CUstream stream)
{
	return copy(call, target, part(source, offset, bytes), bytes, COPY_FROM_ARRAY, stream, 0);
}
