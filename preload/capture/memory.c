/* SPDX-License-Identifier: MIT */
/* Captures of allocations, frees and registrations. */
#include "preload/capture/capture.h"
#include "preload/track/kernel.h"
#include "preload/track/memkind.h"

static void alloc_record(CAPTURE_CALL, const void *address, size_t bytes, enum memory_kind kind,
	const void *stream, uint32_t flags)
{
	struct record *record = capture_record(call, result, RECORD_ALLOC);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = bytes;
	record->b = (uint64_t)(uintptr_t)address;
	record->c = record_bits_ALLOC_memory(kind) | record_bits_ALLOC_device(capture_device());
	record->d = capture_flags(call, stream, flags);
	collector_commit();
}

void capture_alloc(CAPTURE_CALL, void *const *address, size_t size, enum memory_kind kind,
	const void *stream, uint32_t flags)
{
	const void *made = NULL;
	if (result == CUDA_SUCCESS_CODE && address != NULL) {
		made = *address;
		memkind_add(made, size, kind, call->end);
	}
	alloc_record(call, result, made, size, kind, stream, flags | RECORD_CREATE);
}

void capture_alloc_pitch(CAPTURE_CALL, void *const *address, const size_t *pitch, size_t height)
{
	size_t bytes = result == CUDA_SUCCESS_CODE && pitch != NULL ? *pitch * height : 0;
	capture_alloc(call, result, address, bytes, MEMORY_DEVICE, NULL, 0);
}

void capture_alloc_3d(CAPTURE_CALL, const struct cudaPitchedPtr *address, struct cudaExtent extent)
{
	bool made = result == CUDA_SUCCESS_CODE && address != NULL;
	size_t bytes = made ? address->pitch * extent.height * extent.depth : 0;
	capture_alloc(call, result, made ? &address->ptr : NULL, bytes, MEMORY_DEVICE, NULL, 0);
}

/* The size of an element is hidden in the format: elements stand for the size. */
void capture_array(CAPTURE_CALL, cudaArray_t const *array, size_t elements)
{
	const void *made = result == CUDA_SUCCESS_CODE && array != NULL ? *array : NULL;
	alloc_record(
		call, result, made, elements, MEMORY_DEVICE, NULL, RECORD_CREATE | RECORD_SHAPED);
}

void capture_host_register(CAPTURE_CALL, const void *address, size_t size)
{
	if (result == CUDA_SUCCESS_CODE)
		memkind_add(address, size, MEMORY_PINNED, call->end);
	alloc_record(
		call, result, address, size, MEMORY_PINNED, NULL, RECORD_CREATE | RECORD_REGISTER);
}

void capture_free(CAPTURE_CALL, const void *address, enum memory_kind kind, const void *stream,
	uint32_t flags)
{
	size_t size = 0;
	if (result == CUDA_SUCCESS_CODE) {
		enum memory_kind known = memkind_remove(address, call->begin, &size);
		if (known != MEMORY_UNKNOWN)
			kind = known;
	}
	alloc_record(call, result, address, size, kind, stream, flags | RECORD_DESTROY);
}

/* A range that is unmapped may have been mapped in pieces. */
void capture_unmap(CAPTURE_CALL, const void *address, size_t size)
{
	size_t bytes = 0, piece = 0;
	while (result == CUDA_SUCCESS_CODE && bytes < size) {
		(void)memkind_remove((const char *)address + bytes, call->begin, &piece);
		if (piece == 0)
			break;
		bytes += piece;
	}
	alloc_record(call, result, address, size, MEMORY_DEVICE, NULL, RECORD_DESTROY);
}

void capture_reset(CAPTURE_CALL)
{
	if (result == CUDA_SUCCESS_CODE) {
		memkind_forget_device();
		kernel_forget_contexts();
	}
	capture_call(call, result, 0);
}
