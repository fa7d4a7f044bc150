/* SPDX-License-Identifier: MIT */
#include "../core/copy.h"

#include <string.h>

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

enum {
	SIDE_HOST = 1,
	SIDE_DEVICE = 2,
	SIDE_ARRAY = 3,
	SIDE_UNIFIED = 4
}; /* CUmemorytype */

/* The address of one side of a box; NULL for arrays, which this device has not. */
static char *side(int type, const void *host, CUdeviceptr device)
{
	if (type == SIDE_HOST)
		return (char *)(uintptr_t)host;
	if (type == SIDE_DEVICE || type == SIDE_UNIFIED)
		return pointer(device);
	return NULL;
}

static int submit_box(
	struct sim_call *call, const struct work_copy *box, CUstream handle, int synchronous)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!box->target || !box->source)
		return cudaErrorNotSupported;
	struct copy_request request = {*box, CUDA_COPY_DEFAULT, synchronous};
	return copy_submit(call, stream, &request);
}

static int copy_2d(
	struct sim_call *call, const struct cu_memcpy_2d *copy, CUstream stream, int synchronous)
{
	if (!copy)
		return cudaErrorInvalidValue;
	struct work_copy box = {
		.target = side(copy->target_type, copy->target_host, copy->target_device),
		.source = side(copy->source_type, copy->source_host, copy->source_device),
		.width = copy->width,
		.height = copy->height,
		.depth = 1,
		.target_pitch = copy->target_pitch ? copy->target_pitch : copy->width,
		.source_pitch = copy->source_pitch ? copy->source_pitch : copy->width};
	if (box.target)
		box.target += copy->target_y * box.target_pitch + copy->target_x;
	if (box.source)
		box.source += copy->source_y * box.source_pitch + copy->source_x;
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
	if (!copy)
		return cudaErrorInvalidValue;
	size_t target_pitch = copy->target_pitch ? copy->target_pitch : copy->width;
	size_t source_pitch = copy->source_pitch ? copy->source_pitch : copy->width;
	struct work_copy box = {
		.target = side(copy->target_type, copy->target_host, copy->target_device),
		.source = side(copy->source_type, copy->source_host, copy->source_device),
		.width = copy->width,
		.height = copy->height,
		.depth = copy->depth,
		.target_pitch = target_pitch,
		.target_slice =
			target_pitch * (copy->target_height ? copy->target_height : copy->height),
		.source_pitch = source_pitch,
		.source_slice =
			source_pitch * (copy->source_height ? copy->source_height : copy->height)};
	if (box.target)
		box.target += copy->target_z * box.target_slice +
			      copy->target_y * box.target_pitch + copy->target_x;
	if (box.source)
		box.source += copy->source_z * box.source_slice +
			      copy->source_y * box.source_pitch + copy->source_x;
	return submit_box(call, &box, stream, synchronous);
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
