/* SPDX-License-Identifier: MIT */
#include "runtime.h"

/* Arrays, copies from and to them, and copies of boxes, whose ends may be arrays. */

#define FORMAT_COUNT 8

/* CUarray_format of a channel; 0: there is none. */
static int format_of(const struct cuda_channels *channels)
{
	static const struct {
		int kind, bits, format;
	} formats[FORMAT_COUNT] = {{1, 8, 0x01}, {1, 16, 0x02}, {1, 32, 0x03}, {0, 8, 0x08},
		{0, 16, 0x09}, {0, 32, 0x0a}, {2, 16, 0x10}, {2, 32, 0x20}};
	for (int i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i].kind == channels->kind && formats[i].bits == channels->bits[0])
			return formats[i].format;
	}
	return 0;
}

int rt_cudaMalloc3DArray(struct sim_call *call, CUarray *ret_array,
	const struct cuda_channels *channels, struct cuda_extent extent, unsigned flags)
{
	if (!ret_array || !channels)
		return cudaErrorInvalidValue;
	struct cu_array_3d_format format = {.width = extent.width,
		.height = extent.height,
		.depth = extent.depth,
		.format = format_of(channels),
		.flags = flags};
	for (int i = 0; i < 4; i++)
		format.channels += channels->bits[i] != 0;
	int result = driver.cuArray3DCreate(ret_array, &format);
	if (result)
		return result;
	call->detail.set |= SIM_SET_ADDRESS;
	call->detail.address = (uintptr_t)*ret_array;
	return 0;
}

int rt_cudaMallocArray(struct sim_call *call, CUarray *ret_array,
	const struct cuda_channels *channels, size_t width, size_t height, unsigned flags)
{
	struct cuda_extent extent = {width, height, 0};
	return rt_cudaMalloc3DArray(call, ret_array, channels, extent, flags);
}

int rt_cudaFreeArray(struct sim_call *call, CUarray array)
{
	(void)call;
	return array ? driver.cuArrayDestroy(array) : 0;
}

/* Bytes of an element and of a row. */
static int measure(CUarray array, size_t *ret_element, size_t *ret_pitch)
{
	struct cu_array_3d_format format;
	int result = driver.cuArray3DGetDescriptor(&format, array);
	if (result)
		return result;
	int bits = format.format & 3;
	size_t channel = format.format == 0x10 ? 2 : format.format == 0x20 ? 4 : 0;
	if (channel == 0)
		channel = format.format < 0x08 ? (size_t)1 << (bits - 1) : (size_t)1 << bits;
	*ret_element = channel * format.channels;
	*ret_pitch = *ret_element * format.width;
	return 0;
}

/* An end of a copy: memory, or a place in an array. */
struct end {
	CUarray array;
	size_t x, y; /* bytes, rows */
	CUdeviceptr address;
	size_t pitch;
};

static struct end in_array(CUarray array, size_t x, size_t y)
{
	return (struct end){.array = array, .x = x, .y = y};
}

static struct end in_memory(const void *address, size_t pitch)
{
	return (struct end){.address = (uintptr_t)address, .pitch = pitch};
}

struct transfer {
	struct end target, source;
	size_t width, height; /* bytes, rows */
	int kind;
	int is_async;
	CUstream stream;
};

static int copy_rows(struct sim_call *call, const struct transfer *transfer)
{
	const struct end *target = &transfer->target, *source = &transfer->source;
	int pt = call->per_thread;
	struct cu_memcpy_2d copy = {.source_x = source->x,
		.source_y = source->y,
		.source_type = source->array ? CU_SIDE_ARRAY : CU_SIDE_UNIFIED,
		.source_device = source->address,
		.source_array = source->array,
		.source_pitch = source->pitch,
		.target_x = target->x,
		.target_y = target->y,
		.target_type = target->array ? CU_SIDE_ARRAY : CU_SIDE_UNIFIED,
		.target_device = target->address,
		.target_array = target->array,
		.target_pitch = target->pitch,
		.width = transfer->width,
		.height = transfer->height};
	call->detail.set |= SIM_SET_KIND | SIM_SET_BYTES;
	call->detail.kind = (uint8_t)transfer->kind;
	call->detail.bytes = transfer->width * transfer->height;
	if (transfer->kind < CUDA_H2H || transfer->kind > CUDA_COPY_DEFAULT)
		return cudaErrorInvalidMemcpyDirection;
	return transfer->is_async ? driver.cuMemcpy2DAsync[pt](&copy, transfer->stream)
				  : driver.cuMemcpy2DUnaligned[pt](&copy);
}

/* A number of bytes that follow each other in the array: a part of a row, or whole rows. */
static int copy_bytes(struct sim_call *call, CUarray array, struct transfer *transfer)
{
	size_t element, pitch, x = transfer->target.x + transfer->source.x;
	int result = measure(array, &element, &pitch);
	if (result)
		return result;
	size_t bytes = transfer->width;
	transfer->height = 1;
	if (x + bytes > pitch) {
		if (x || bytes % pitch)
			return cudaErrorNotSupported; /* would be several copies */
		transfer->width = pitch;
		transfer->height = bytes / pitch;
	}
	struct end *memory = transfer->target.array ? &transfer->source : &transfer->target;
	memory->pitch = transfer->width;
	return copy_rows(call, transfer);
}

int rt_cudaMemcpyToArray(struct sim_call *call, CUarray target, size_t x, size_t y,
	const void *source, size_t bytes, int kind)
{
	struct transfer transfer = {
		in_array(target, x, y), in_memory(source, 0), bytes, 1, kind, 0, NULL};
	return copy_bytes(call, target, &transfer);
}

int rt_cudaMemcpyToArrayAsync(struct sim_call *call, CUarray target, size_t x, size_t y,
	const void *source, size_t bytes, int kind, CUstream stream)
{
	struct transfer transfer = {
		in_array(target, x, y), in_memory(source, 0), bytes, 1, kind, 1, stream};
	return copy_bytes(call, target, &transfer);
}

int rt_cudaMemcpyFromArray(struct sim_call *call, void *target, CUarray source, size_t x, size_t y,
	size_t bytes, int kind)
{
	struct transfer transfer = {
		in_memory(target, 0), in_array(source, x, y), bytes, 1, kind, 0, NULL};
	return copy_bytes(call, source, &transfer);
}

int rt_cudaMemcpyFromArrayAsync(struct sim_call *call, void *target, CUarray source, size_t x,
	size_t y, size_t bytes, int kind, CUstream stream)
{
	struct transfer transfer = {
		in_memory(target, 0), in_array(source, x, y), bytes, 1, kind, 1, stream};
	return copy_bytes(call, source, &transfer);
}

int rt_cudaMemcpy2DToArray(struct sim_call *call, CUarray target, size_t x, size_t y,
	const void *source, size_t pitch, size_t width, size_t height, int kind)
{
	struct transfer transfer = {
		in_array(target, x, y), in_memory(source, pitch), width, height, kind, 0, NULL};
	return copy_rows(call, &transfer);
}

int rt_cudaMemcpy2DToArrayAsync(struct sim_call *call, CUarray target, size_t x, size_t y,
	const void *source, size_t pitch, size_t width, size_t height, int kind, CUstream stream)
{
	struct transfer transfer = {
		in_array(target, x, y), in_memory(source, pitch), width, height, kind, 1, stream};
	return copy_rows(call, &transfer);
}

int rt_cudaMemcpy2DFromArray(struct sim_call *call, void *target, size_t pitch, CUarray source,
	size_t x, size_t y, size_t width, size_t height, int kind)
{
	struct transfer transfer = {
		in_memory(target, pitch), in_array(source, x, y), width, height, kind, 0, NULL};
	return copy_rows(call, &transfer);
}

int rt_cudaMemcpy2DFromArrayAsync(struct sim_call *call, void *target, size_t pitch, CUarray source,
	size_t x, size_t y, size_t width, size_t height, int kind, CUstream stream)
{
	struct transfer transfer = {
		in_memory(target, pitch), in_array(source, x, y), width, height, kind, 1, stream};
	return copy_rows(call, &transfer);
}

int rt_cudaMemcpy2DArrayToArray(struct sim_call *call, CUarray target, size_t target_x,
	size_t target_y, CUarray source, size_t source_x, size_t source_y, size_t width,
	size_t height, int kind)
{
	struct transfer transfer = {in_array(target, target_x, target_y),
		in_array(source, source_x, source_y), width, height, kind, 0, NULL};
	return copy_rows(call, &transfer);
}

int rt_cudaMemcpyArrayToArray(struct sim_call *call, CUarray target, size_t target_x,
	size_t target_y, CUarray source, size_t source_x, size_t source_y, size_t bytes, int kind)
{
	size_t element, target_pitch, source_pitch;
	int result = measure(target, &element, &target_pitch);
	if (result == 0)
		result = measure(source, &element, &source_pitch);
	if (result)
		return result;
	call->detail.set |= SIM_SET_KIND | SIM_SET_BYTES;
	call->detail.kind = (uint8_t)kind;
	call->detail.bytes = bytes;
	return driver.cuMemcpyAtoA[call->per_thread](target, target_y * target_pitch + target_x,
		source, source_y * source_pitch + source_x, bytes);
}

/* What both forms of a box have; lengths are in elements where an array takes part. */
struct box {
	CUarray source_array, target_array;
	const size_t *source_pos, *target_pos;
	const struct cuda_pitched_pointer *source, *target;
	const struct cuda_extent *extent;
};

static int make_3d(struct sim_call *call, const struct box *box, struct cu_memcpy_3d *ret_copy)
{
	size_t unit = 1, pitch,
	       bytes = box->extent->width * box->extent->height * box->extent->depth;
	CUarray array = box->source_array ? box->source_array : box->target_array;
	/* one of array and pointer on each side, as the documentation of cudaMemcpy3D says */
	if ((box->source_array && box->source->pointer) ||
		(box->target_array && box->target->pointer))
		return cudaErrorInvalidValue;
	int result = array ? measure(array, &unit, &pitch) : 0;
	if (result)
		return result;
	if (!array) {
		call->detail.set |= SIM_SET_BYTES;
		call->detail.bytes = bytes;
	}
	*ret_copy = (struct cu_memcpy_3d){
		.source_x = box->source_pos[0] * (box->source_array ? unit : 1),
		.source_y = box->source_pos[1],
		.source_z = box->source_pos[2],
		.source_type = box->source_array ? CU_SIDE_ARRAY : CU_SIDE_UNIFIED,
		.source_array = box->source_array,
		.source_device = (uintptr_t)box->source->pointer,
		.source_pitch = box->source->pitch,
		.source_height = box->source->ysize,
		.target_x = box->target_pos[0] * (box->target_array ? unit : 1),
		.target_y = box->target_pos[1],
		.target_z = box->target_pos[2],
		.target_type = box->target_array ? CU_SIDE_ARRAY : CU_SIDE_UNIFIED,
		.target_array = box->target_array,
		.target_device = (uintptr_t)box->target->pointer,
		.target_pitch = box->target->pitch,
		.target_height = box->target->ysize,
		.width = box->extent->width * unit,
		.height = box->extent->height,
		.depth = box->extent->depth};
	return 0;
}

static int make_plain(
	struct sim_call *call, const struct cuda_memcpy_3d *copy, struct cu_memcpy_3d *ret_copy)
{
	if (!copy)
		return cudaErrorInvalidValue;
	struct box box = {copy->source_array, copy->target_array, copy->source_pos,
		copy->target_pos, &copy->source, &copy->target, &copy->extent};
	return make_3d(call, &box, ret_copy);
}

static int make_peer(struct sim_call *call, const struct cuda_memcpy_3d_peer *copy,
	struct cu_memcpy_3d *ret_copy)
{
	if (!copy)
		return cudaErrorInvalidValue;
	struct box box = {copy->source_array, copy->target_array, copy->source_pos,
		copy->target_pos, &copy->source, &copy->target, &copy->extent};
	return make_3d(call, &box, ret_copy);
}

int rt_cudaMemcpy3D(struct sim_call *call, const struct cuda_memcpy_3d *copy)
{
	struct cu_memcpy_3d made;
	int result = make_plain(call, copy, &made);
	return result ? result : driver.cuMemcpy3D[call->per_thread](&made);
}

int rt_cudaMemcpy3DAsync(struct sim_call *call, const struct cuda_memcpy_3d *copy, CUstream stream)
{
	struct cu_memcpy_3d made;
	int result = make_plain(call, copy, &made);
	return result ? result : driver.cuMemcpy3DAsync[call->per_thread](&made, stream);
}

int rt_cudaMemcpy3DPeer(struct sim_call *call, const struct cuda_memcpy_3d_peer *copy)
{
	struct cu_memcpy_3d made;
	int result = make_peer(call, copy, &made);
	return result ? result : driver.cuMemcpy3DPeer[call->per_thread](&made);
}

int rt_cudaMemcpy3DPeerAsync(
	struct sim_call *call, const struct cuda_memcpy_3d_peer *copy, CUstream stream)
{
	struct cu_memcpy_3d made;
	int result = make_peer(call, copy, &made);
	return result ? result : driver.cuMemcpy3DPeerAsync[call->per_thread](&made, stream);
}
