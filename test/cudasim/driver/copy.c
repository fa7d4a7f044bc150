/* SPDX-License-Identifier: MIT */
#include "../core/copy.h"
#include "array.h"
#include "driver.h"

static void *pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* One contiguous copy on the stream that the call names. */
static int copy(struct sim_call *call, void *target, const void *source, size_t bytes, int kind,
	CUstream handle, int synchronous)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	struct copy_request request = copy_range(target, source, bytes, kind, synchronous);
	return copy_submit(call, stream, &request);
}

int sim_cuMemcpy(struct sim_call *call, CUdeviceptr target, CUdeviceptr source, size_t bytes)
{
	return copy(call, pointer(target), pointer(source), bytes, CUDA_COPY_DEFAULT, NULL, 1);
}

int sim_cuMemcpyHtoD_v2(struct sim_call *call, CUdeviceptr target, const void *source, size_t bytes)
{
	return copy(call, pointer(target), source, bytes, CUDA_H2D, NULL, 1);
}

int sim_cuMemcpyDtoH_v2(struct sim_call *call, void *target, CUdeviceptr source, size_t bytes)
{
	return copy(call, target, pointer(source), bytes, CUDA_D2H, NULL, 1);
}

int sim_cuMemcpyDtoD_v2(struct sim_call *call, CUdeviceptr target, CUdeviceptr source, size_t bytes)
{
	return copy(call, pointer(target), pointer(source), bytes, CUDA_D2D, NULL, 1);
}

int sim_cuMemcpyPeer(struct sim_call *call, CUdeviceptr target, CUcontext target_context,
	CUdeviceptr source, CUcontext source_context, size_t bytes)
{
	(void)target_context;
	(void)source_context;
	return copy(call, pointer(target), pointer(source), bytes, CUDA_D2D, NULL, 1);
}

int sim_cuMemcpyAsync(struct sim_call *call, CUdeviceptr target, CUdeviceptr source, size_t bytes,
	CUstream stream)
{
	return copy(call, pointer(target), pointer(source), bytes, CUDA_COPY_DEFAULT, stream, 0);
}

int sim_cuMemcpyHtoDAsync_v2(struct sim_call *call, CUdeviceptr target, const void *source,
	size_t bytes, CUstream stream)
{
	return copy(call, pointer(target), source, bytes, CUDA_H2D, stream, 0);
}

int sim_cuMemcpyDtoHAsync_v2(
	struct sim_call *call, void *target, CUdeviceptr source, size_t bytes, CUstream stream)
{
	return copy(call, target, pointer(source), bytes, CUDA_D2H, stream, 0);
}

int sim_cuMemcpyDtoDAsync_v2(struct sim_call *call, CUdeviceptr target, CUdeviceptr source,
	size_t bytes, CUstream stream)
{
	return copy(call, pointer(target), pointer(source), bytes, CUDA_D2D, stream, 0);
}

int sim_cuMemcpyPeerAsync(struct sim_call *call, CUdeviceptr target, CUcontext target_context,
	CUdeviceptr source, CUcontext source_context, size_t bytes, CUstream stream)
{
	(void)target_context;
	(void)source_context;
	return copy(call, pointer(target), pointer(source), bytes, CUDA_D2D, stream, 0);
}

/* One side of a box: where it begins, and how its rows and slices follow each other. */
struct side {
	char *base; /* NULL: nothing that can be copied */
	size_t pitch, slice;
	int is_array;
};

static struct side find_side(
	int type, const void *host, CUdeviceptr device, CUarray array, size_t pitch, size_t height)
{
	struct side side = {.pitch = pitch, .slice = pitch * height};
	struct array_layout layout;
	if (type == CU_SIDE_HOST)
		side.base = (char *)(uintptr_t)host;
	if (type == CU_SIDE_DEVICE || type == CU_SIDE_UNIFIED)
		side.base = pointer(device);
	if (type == CU_SIDE_ARRAY && array_layout(array, &layout))
		side = (struct side){layout.memory, layout.pitch, layout.pitch * layout.height, 1};
	return side;
}

static size_t or_else(size_t value, size_t otherwise)
{
	return value ? value : otherwise;
}

static int submit_box(
	struct sim_call *call, const struct cu_memcpy_3d *copy, CUstream handle, int synchronous)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	struct side target = find_side(copy->target_type, copy->target_host, copy->target_device,
		copy->target_array, or_else(copy->target_pitch, copy->width),
		or_else(copy->target_height, copy->height));
	struct side source = find_side(copy->source_type, copy->source_host, copy->source_device,
		copy->source_array, or_else(copy->source_pitch, copy->width),
		or_else(copy->source_height, copy->height));
	if (!target.base || !source.base)
		return cudaErrorInvalidValue;
	struct copy_request request = {.kind = CUDA_COPY_DEFAULT,
		.synchronous = synchronous,
		.box = {.target = target.base + copy->target_z * target.slice +
				  copy->target_y * target.pitch + copy->target_x,
			.source = source.base + copy->source_z * source.slice +
				  copy->source_y * source.pitch + copy->source_x,
			.width = copy->width,
			.height = copy->height,
			.depth = copy->depth,
			.target_pitch = target.pitch,
			.target_slice = target.slice,
			.source_pitch = source.pitch,
			.source_slice = source.slice,
			.arrays = (uint8_t)((source.is_array ? COPY_FROM_ARRAY : 0) |
					    (target.is_array ? COPY_TO_ARRAY : 0))}};
	return copy_submit(call, stream, &request);
}

static int copy_2d(
	struct sim_call *call, const struct cu_memcpy_2d *copy, CUstream stream, int synchronous)
{
	if (!copy)
		return cudaErrorInvalidValue;
	struct cu_memcpy_3d box = {.source_x = copy->source_x,
		.source_y = copy->source_y,
		.source_type = copy->source_type,
		.source_host = copy->source_host,
		.source_device = copy->source_device,
		.source_array = copy->source_array,
		.source_pitch = copy->source_pitch,
		.target_x = copy->target_x,
		.target_y = copy->target_y,
		.target_type = copy->target_type,
		.target_host = copy->target_host,
		.target_device = copy->target_device,
		.target_array = copy->target_array,
		.target_pitch = copy->target_pitch,
		.width = copy->width,
		.height = copy->height,
		.depth = 1};
	return submit_box(call, &box, stream, synchronous);
}

int sim_cuMemcpy2D_v2(struct sim_call *call, const struct cu_memcpy_2d *copy)
{
	return copy_2d(call, copy, NULL, 1);
}

int sim_cuMemcpy2DUnaligned_v2(struct sim_call *call, const struct cu_memcpy_2d *copy)
{
	return copy_2d(call, copy, NULL, 1);
}

int sim_cuMemcpy2DAsync_v2(struct sim_call *call, const struct cu_memcpy_2d *copy, CUstream stream)
{
	return copy_2d(call, copy, stream, 0);
}

static int copy_3d(
	struct sim_call *call, const struct cu_memcpy_3d *copy, CUstream stream, int synchronous)
{
	return copy ? submit_box(call, copy, stream, synchronous) : cudaErrorInvalidValue;
}

int sim_cuMemcpy3D_v2(struct sim_call *call, const struct cu_memcpy_3d *copy)
{
	return copy_3d(call, copy, NULL, 1);
}

int sim_cuMemcpy3DAsync_v2(struct sim_call *call, const struct cu_memcpy_3d *copy, CUstream stream)
{
	return copy_3d(call, copy, stream, 0);
}

/* Between devices; the contexts beside the pointers say nothing that the addresses do not. */
int sim_cuMemcpy3DPeer(struct sim_call *call, const struct cu_memcpy_3d *copy)
{
	return copy_3d(call, copy, NULL, 1);
}

int sim_cuMemcpy3DPeerAsync(struct sim_call *call, const struct cu_memcpy_3d *copy, CUstream stream)
{
	return copy_3d(call, copy, stream, 0);
}
