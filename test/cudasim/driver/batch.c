/* SPDX-License-Identifier: MIT */
#include "../core/copy.h"
#include "array.h"
#include "driver.h"

/* Batches of copies: as many operations on one stream, one after the other. */

static char *pointer(CUdeviceptr address)
{
	return (char *)(uintptr_t)address;
}

/* The call says of itself: all bytes, and the ends of the first copy. */
static void sum_up(struct sim_call *call, const struct sim_detail *first, uint64_t bytes)
{
	call->detail.kind = first->kind;
	call->detail.source = first->source;
	call->detail.target = first->target;
	call->detail.arrays = first->arrays;
	call->detail.bytes = bytes;
}

/* box: the index-th copy of what context leads to. */
static int submit(struct sim_call *call, size_t count, size_t *ret_fail, CUstream handle,
	struct work_copy (*box)(const void *context, size_t index), const void *context)
{
	struct sim_detail first = {0};
	uint64_t bytes = 0;
	CUstream stream = stream_of_call(call, handle);
	if (!stream || handle == NULL || handle == CUDA_STREAM_LEGACY)
		return cudaErrorInvalidResourceHandle; /* the legacy stream is not allowed here */
	for (size_t i = 0; i < count; i++) {
		struct copy_request request = {box(context, i), CUDA_COPY_DEFAULT, 0};
		bytes += (uint64_t)request.box.width * request.box.height * request.box.depth;
		int result = copy_submit(call, stream, &request);
		if (i == 0)
			first = call->detail;
		if (result) {
			if (ret_fail)
				*ret_fail = i;
			return result;
		}
	}
	sum_up(call, &first, bytes);
	return 0;
}

struct ranges {
	const CUdeviceptr *targets, *sources;
	const size_t *sizes;
};

static struct work_copy range_box(const void *context, size_t index)
{
	const struct ranges *ranges = context;
	return copy_range(pointer(ranges->targets[index]), pointer(ranges->sources[index]),
		ranges->sizes[index], CUDA_COPY_DEFAULT, 0)
		.box;
}

int sim_cuMemcpyBatchAsync(struct sim_call *call, CUdeviceptr *targets, CUdeviceptr *sources,
	size_t *sizes, size_t count, const void *attributes, size_t *indexes,
	size_t attribute_count, size_t *ret_fail, CUstream stream)
{
	struct ranges ranges = {targets, sources, sizes};
	(void)indexes;
	if (!targets || !sources || !sizes || count == 0 || !attributes || attribute_count == 0)
		return cudaErrorInvalidValue;
	return submit(call, count, ret_fail, stream, range_box, &ranges);
}

int sim_cuMemcpyBatchAsync_v2(struct sim_call *call, CUdeviceptr *targets, CUdeviceptr *sources,
	size_t *sizes, size_t count, const void *attributes, size_t *indexes,
	size_t attribute_count, CUstream stream)
{
	return sim_cuMemcpyBatchAsync(call, targets, sources, sizes, count, attributes, indexes,
		attribute_count, NULL, stream);
}

/* Bytes of what the lengths of a box count; 0 when a side is none. */
static size_t unit_of(const struct cu_batch_box *box)
{
	const struct cu_batch_side *sides[] = {&box->source, &box->target};
	size_t unit = 1;
	for (int i = 0; i < 2; i++) {
		struct array_layout layout;
		if (sides[i]->type == CU_BATCH_MEMORY)
			continue;
		if (sides[i]->type != CU_BATCH_ARRAY || !array_layout(sides[i]->array, &layout))
			return 0;
		unit = layout.element;
	}
	return unit;
}

/* Where a side begins, and its pitch and slice. */
static char *side_of(const struct cu_batch_side *side, const struct cuda_extent *extent,
	size_t unit, size_t *ret_pitch, size_t *ret_slice)
{
	struct array_layout layout;
	if (side->type == CU_BATCH_ARRAY && array_layout(side->array, &layout)) {
		*ret_pitch = layout.pitch;
		*ret_slice = layout.pitch * layout.height;
		return layout.memory + side->pos[2] * *ret_slice + side->pos[1] * *ret_pitch +
		       side->pos[0] * unit;
	}
	*ret_pitch = (side->row_length ? side->row_length : extent->width) * unit;
	*ret_slice = *ret_pitch * (side->layer_height ? side->layer_height : extent->height);
	return pointer(side->address);
}

static struct work_copy three_box(const void *context, size_t index)
{
	const struct cu_batch_box *box = (const struct cu_batch_box *)context + index;
	size_t unit = unit_of(box);
	struct work_copy copy = {.width = box->extent.width * unit,
		.height = box->extent.height,
		.depth = box->extent.depth,
		.arrays = (uint8_t)((box->source.type == CU_BATCH_ARRAY ? COPY_FROM_ARRAY : 0) |
				    (box->target.type == CU_BATCH_ARRAY ? COPY_TO_ARRAY : 0))};
	copy.source =
		side_of(&box->source, &box->extent, unit, &copy.source_pitch, &copy.source_slice);
	copy.target =
		side_of(&box->target, &box->extent, unit, &copy.target_pitch, &copy.target_slice);
	return copy;
}

int sim_cuMemcpy3DBatchAsync(struct sim_call *call, size_t count, const struct cu_batch_box *boxes,
	size_t *ret_fail, unsigned long long flags, CUstream stream)
{
	if (!boxes || count == 0 || flags)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		if (unit_of(&boxes[i]) == 0)
			return cudaErrorInvalidValue;
	return submit(call, count, ret_fail, stream, three_box, boxes);
}

int sim_cuMemcpy3DBatchAsync_v2(struct sim_call *call, size_t count,
	const struct cu_batch_box *boxes, unsigned long long flags, CUstream stream)
{
	return sim_cuMemcpy3DBatchAsync(call, count, boxes, NULL, flags, stream);
}
