/* SPDX-License-Identifier: MIT */
/* Captures of calls that only the driver has. */
#include "preload/capture/capture.h"
#include "preload/capture/launch.h"

void capture_driver_launch_config(CAPTURE_CALL, const CUlaunchConfig *config, const void *function)
{
	CUlaunchConfig own;
	config = capture_struct(result, config, &own, sizeof(own));
	if (config == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_launch_driver(call, result, function, config->grid, config->block, config->shared,
		config->stream, 0);
}

/* One side of a copy that names the kind of its memory. */
static const void *side(int type, const void *host, CUdeviceptr device)
{
	switch (type) {
	case CU_SIDE_HOST:
		return host;
	case CU_SIDE_ARRAY:
		return CAPTURE_ON_DEVICE;
	default:
		return (const void *)(uintptr_t)device;
	}
}

static unsigned direction(int dst, int src)
{
	bool from_device = src == CU_SIDE_DEVICE || src == CU_SIDE_ARRAY;
	bool to_device = dst == CU_SIDE_DEVICE || dst == CU_SIDE_ARRAY;
	if ((!from_device && src != CU_SIDE_HOST) || (!to_device && dst != CU_SIDE_HOST))
		return COPY_DEFAULT;
	if (from_device)
		return to_device ? COPY_DEVICE_TO_DEVICE : COPY_DEVICE_TO_HOST;
	return to_device ? COPY_HOST_TO_DEVICE : COPY_HOST_TO_HOST;
}

void capture_driver_copy_2d(
	CAPTURE_CALL, const CUDA_MEMCPY2D *copy, const void *stream, uint32_t flags)
{
	CUDA_MEMCPY2D own;
	copy = capture_struct(result, copy, &own, sizeof(own));
	if (copy == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_copy(call, result, side(copy->dst_type, copy->dst_host, copy->dst_device),
		side(copy->src_type, copy->src_host, copy->src_device), copy->width * copy->height,
		direction(copy->dst_type, copy->src_type), stream, flags | RECORD_SHAPED);
}

void capture_driver_copy_3d(
	CAPTURE_CALL, const CUDA_MEMCPY3D *copy, const void *stream, uint32_t flags)
{
	CUDA_MEMCPY3D own;
	copy = capture_struct(result, copy, &own, sizeof(own));
	if (copy == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_copy(call, result, side(copy->dst_type, copy->dst_host, copy->dst_device),
		side(copy->src_type, copy->src_host, copy->src_device),
		copy->width * copy->height * copy->depth, direction(copy->dst_type, copy->src_type),
		stream, flags | RECORD_SHAPED);
}

void capture_driver_copy_3d_peer(
	CAPTURE_CALL, const CUDA_MEMCPY3D_PEER *copy, const void *stream, uint32_t flags)
{
	CUDA_MEMCPY3D_PEER own;
	copy = capture_struct(result, copy, &own, sizeof(own));
	if (copy == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_copy(call, result, CAPTURE_ON_DEVICE, CAPTURE_ON_DEVICE,
		copy->width * copy->height * copy->depth, COPY_PEER, stream, flags | RECORD_SHAPED);
}

void capture_driver_launch_devices(CAPTURE_CALL, const CUDA_LAUNCH_PARAMS *launches, unsigned count)
{
	CUDA_LAUNCH_PARAMS own;
	launches = capture_struct(result, launches, &own, sizeof(own));
	if (launches == NULL || count == 0) {
		capture_call(call, result, count);
		return;
	}
	capture_launch_driver(call, result, launches->function, launches->grid, launches->block,
		launches->shared, launches->stream, RECORD_COOPERATIVE);
}

static size_t at_least_one(size_t extent)
{
	return extent == 0 ? 1 : extent;
}

void capture_driver_array(CAPTURE_CALL, CUarray const *array, const CUDA_ARRAY_DESCRIPTOR *format)
{
	CUDA_ARRAY_DESCRIPTOR own;
	format = capture_struct(result, format, &own, sizeof(own));
	size_t elements = format == NULL ? 0 : format->width * at_least_one(format->height);
	capture_array(call, result, (cudaArray_t const *)array, elements);
}

void capture_driver_array_3d(
	CAPTURE_CALL, CUarray const *array, const CUDA_ARRAY3D_DESCRIPTOR *format)
{
	CUDA_ARRAY3D_DESCRIPTOR own;
	format = capture_struct(result, format, &own, sizeof(own));
	size_t elements = format == NULL ? 0
					 : format->width * at_least_one(format->height) *
						   at_least_one(format->depth);
	capture_array(call, result, (cudaArray_t const *)array, elements);
}
