/* SPDX-License-Identifier: MIT */
/* Captures of copies and sets. */
#include "collector/format/blocking.h"
#include "preload/capture/capture.h"
#include "preload/track/memkind.h"

struct ends {
	enum memory_kind src, dst;
	enum copy_direction direction;
};

static bool on_device(enum memory_kind kind)
{
	return kind == MEMORY_DEVICE || kind == MEMORY_MANAGED;
}

static enum memory_kind seen(const void *address)
{
	return address == CAPTURE_ON_DEVICE ? MEMORY_DEVICE : memkind_of(address);
}

/* What an end must be when the call says that it is on the device or on the host. */
static enum memory_kind device_end(enum memory_kind kind)
{
	return kind == MEMORY_MANAGED ? kind : MEMORY_DEVICE;
}

static enum memory_kind host_end(enum memory_kind kind)
{
	return kind == MEMORY_PINNED || kind == MEMORY_MANAGED ? kind : MEMORY_PAGEABLE;
}

static void ends_by_address(struct ends *ends)
{
	if (ends->src == MEMORY_UNKNOWN && ends->dst == MEMORY_UNKNOWN)
		return;
	if (ends->src == MEMORY_UNKNOWN)
		ends->src = MEMORY_PAGEABLE;
	if (ends->dst == MEMORY_UNKNOWN)
		ends->dst = MEMORY_PAGEABLE;
	if (on_device(ends->src))
		ends->direction =
			on_device(ends->dst) ? COPY_DEVICE_TO_DEVICE : COPY_DEVICE_TO_HOST;
	else
		ends->direction = on_device(ends->dst) ? COPY_HOST_TO_DEVICE : COPY_HOST_TO_HOST;
}

static struct ends ends_of(const void *dst, const void *src, unsigned kind)
{
	struct ends ends = {seen(src), seen(dst), (enum copy_direction)kind};
	switch (kind) {
	case COPY_DEFAULT:
		ends_by_address(&ends);
		break;
	case COPY_HOST_TO_HOST:
		ends.src = host_end(ends.src);
		ends.dst = host_end(ends.dst);
		break;
	case COPY_HOST_TO_DEVICE:
		ends.src = host_end(ends.src);
		ends.dst = device_end(ends.dst);
		break;
	case COPY_DEVICE_TO_HOST:
		ends.src = device_end(ends.src);
		ends.dst = host_end(ends.dst);
		break;
	case COPY_DEVICE_TO_DEVICE:
	case COPY_PEER:
		ends.src = device_end(ends.src);
		ends.dst = device_end(ends.dst);
		break;
	default: /* not a kind at all: the call has failed */
		ends.direction = COPY_DEFAULT;
	}
	return ends;
}

static void copy_record(
	CAPTURE_CALL, const struct ends *ends, size_t bytes, const void *stream, uint32_t flags)
{
	struct record *record = capture_record(call, result, RECORD_COPY);
	if (record == NULL)
		return;
	flags = capture_flags(call, stream, flags);
	if (blocking_copy(ends->direction, ends->dst, flags) && (flags & RECORD_CAPTURED) == 0)
		flags |= RECORD_BLOCKING;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = bytes;
	record->b = record_bits_COPY_direction(ends->direction) |
		    record_bits_COPY_src_memory(ends->src) |
		    record_bits_COPY_dst_memory(ends->dst) | capture_device_bits();
	record->d = flags;
	collector_commit();
}

void capture_copy(CAPTURE_CALL, const void *dst, const void *src, size_t bytes, unsigned kind,
	const void *stream, uint32_t flags)
{
	struct ends ends = ends_of(dst, src, kind);
	copy_record(call, result, &ends, bytes, stream, flags);
}

/* With an array as an end the extent counts elements, whose size only the array knows. */
void capture_copy_3d(
	CAPTURE_CALL, const struct cudaMemcpy3DParms *copy, const void *stream, uint32_t flags)
{
	struct cudaMemcpy3DParms own;
	copy = capture_struct(result, copy, &own, sizeof(own));
	if (copy == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_copy(call, result, copy->dstArray != NULL ? CAPTURE_ON_DEVICE : copy->dstPtr.ptr,
		copy->srcArray != NULL ? CAPTURE_ON_DEVICE : copy->srcPtr.ptr,
		copy->extent.width * copy->extent.height * copy->extent.depth, copy->kind, stream,
		flags | RECORD_SHAPED);
}

void capture_copy_3d_peer(
	CAPTURE_CALL, const struct cudaMemcpy3DPeerParms *copy, const void *stream, uint32_t flags)
{
	struct cudaMemcpy3DPeerParms own;
	copy = capture_struct(result, copy, &own, sizeof(own));
	if (copy == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_copy(call, result, CAPTURE_ON_DEVICE, CAPTURE_ON_DEVICE,
		copy->extent.width * copy->extent.height * copy->extent.depth, COPY_PEER, stream,
		flags | RECORD_SHAPED);
}

/* One record for the batch: the sum of the bytes, the ends of the first copy. */
void capture_copy_batch(CAPTURE_CALL, void *const *dsts, const void *const *srcs,
	const size_t *sizes, size_t count, const void *stream)
{
	if (result != CUDA_SUCCESS_CODE || dsts == NULL || srcs == NULL || sizes == NULL ||
		count == 0) {
		capture_call(call, result, count);
		return;
	}
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++)
		bytes += sizes[i];
	capture_copy(call, result, dsts[0], srcs[0], bytes, COPY_DEFAULT, stream,
		RECORD_ASYNC | RECORD_SHAPED);
}

static const void *batch_side(const struct cuda_batch_side *side)
{
	return side->type == CU_BATCH_POINTER ? side->address : CAPTURE_ON_DEVICE;
}

/* As above; an extent counts elements when one of the sides is an array. */
void capture_copy_batch_3d(
	CAPTURE_CALL, const CUDA_MEMCPY3D_BATCH_OP *copies, size_t count, const void *stream)
{
	if (result != CUDA_SUCCESS_CODE || copies == NULL || count == 0) {
		capture_call(call, result, count);
		return;
	}
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++)
		bytes += copies[i].extent.width * copies[i].extent.height * copies[i].extent.depth;
	capture_copy(call, result, batch_side(&copies->dst), batch_side(&copies->src), bytes,
		COPY_DEFAULT, stream, RECORD_ASYNC | RECORD_SHAPED);
}

void capture_set(CAPTURE_CALL, const void *address, size_t bytes, int value, const void *stream,
	uint32_t flags)
{
	struct record *record = capture_record(call, result, RECORD_SET);
	if (record == NULL)
		return;
	enum memory_kind kind = memkind_of(address);
	flags = capture_flags(call, stream, flags);
	if (blocking_set(kind, flags))
		flags |= RECORD_BLOCKING;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = bytes;
	record->b = record_bits_SET_memory(kind) | capture_device_bits();
	record->c = (uint32_t)value;
	record->d = flags;
	collector_commit();
}
