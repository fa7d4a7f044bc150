/* SPDX-License-Identifier: MIT */
#include "preload/capture.h"

#include "preload/callsite.h"
#include "preload/capturing.h"
#include "preload/kernel.h"
#include "preload/start.h"
#include "preload/thread.h"

#include <errno.h>
#include <string.h>

/* First record of this thread, maybe of the process. */
static __attribute__((noinline, cold)) bool attach(void)
{
	int saved = errno;
	start_first_record();
	bool attached = collector_attach();
	errno = saved;
	return attached;
}

/* Everything but the kind's own slots. */
static inline struct record *begin_record(
	const struct hook_call *call, enum record_kind kind, int result)
{
	if (__builtin_expect(collector_thread.ring == NULL, 0) && !attach())
		return NULL;
	thread_state.feeds = 1;
	uint32_t place = callsite_place(call->caller);
	struct record *record = collector_reserve();
	if (__builtin_expect(record == NULL, 0))
		return NULL;
	record->begin = call->begin;
	record->end = call->end;
	record->kind = (uint16_t)kind;
	record->call = call->id;
	record->place = place;
	record->result = result;
	return record;
}

struct record *capture_record(CAPTURE_CALL, enum record_kind kind)
{
	if (!collector_enabled)
		return NULL;
	struct record *record = begin_record(call, kind, result);
	if (record == NULL)
		return NULL;
	record->name = 0;
	record->stream = 0;
	record->a = 0;
	record->b = 0;
	record->c = 0;
	record->d = 0;
	return record;
}

uint64_t capture_device_bits(void)
{
	return (uint64_t)(uint16_t)thread_state.device << 48;
}

uint32_t capture_flags(const struct hook_call *call, const void *stream, uint32_t more)
{
	bool per_thread = (call->flags & HOOK_PER_THREAD) != 0;
	if (per_thread)
		more |= RECORD_PER_THREAD;
	if (capturing(stream, per_thread))
		more |= RECORD_CAPTURED;
	return more;
}

void capture_register(CAPTURE_CALL, void **group, const void *stub, const char *name)
{
	(void)call;
	(void)result;
	kernel_register(group, stub, name);
}

void capture_unregister(CAPTURE_CALL, void **group)
{
	(void)call;
	(void)result;
	kernel_forget(group);
}

void capture_kernel_handle(CAPTURE_CALL, void *const *handle, const void *stub)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE && handle != NULL)
		kernel_alias(stub, *handle);
}

void capture_library_kernel(
	CAPTURE_CALL, void *const *handle, const void *library, const char *name)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE && handle != NULL)
		kernel_register_copy(library, *handle, name);
}

/* The hot one: every slot is stored once, nothing is cleared first. */
void capture_launch(CAPTURE_CALL, const void *function, dim3 grid, dim3 block, size_t shared,
	const void *stream, uint32_t flags)
{
	uint32_t name = kernel_name(function);
	struct record *record = begin_record(call, RECORD_LAUNCH, result);
	if (record == NULL)
		return;
	if (name == 0) /* its text could not be interned before the thread was attached */
		name = kernel_name(function);
	record->name = name;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = grid.x | (uint64_t)(uint16_t)grid.y << 32 | (uint64_t)grid.z << 48;
	record->b = (uint16_t)block.x | (uint32_t)block.y << 16 |
		    (uint64_t)(uint16_t)block.z << 32 | capture_device_bits();
	record->c = (uint32_t)shared;
	record->d = capture_flags(call, stream, flags | RECORD_ASYNC);
	collector_commit();
}

void capture_launch_config(CAPTURE_CALL, const cudaLaunchConfig_t *config, const void *function)
{
	if (config == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_launch(call, result, function, config->gridDim, config->blockDim,
		config->dynamicSmemBytes, config->stream, 0);
}

void capture_launch_host(CAPTURE_CALL, const void *stream)
{
	struct record *record = capture_record(call, result, RECORD_LAUNCH);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->b = capture_device_bits();
	record->d = capture_flags(call, stream, RECORD_ASYNC | RECORD_HOST_FUNCTION);
	collector_commit();
}

void capture_sync(CAPTURE_CALL, enum sync_scope scope, const void *stream, const void *event)
{
	struct record *record = capture_record(call, result, RECORD_SYNC);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = (uint64_t)(uintptr_t)event;
	record->b = (uint64_t)scope | capture_device_bits();
	record->d = capture_flags(call, stream, 0);
	collector_commit();
}

void capture_call(CAPTURE_CALL, uint64_t value)
{
	struct record *record = capture_record(call, result, RECORD_CALL);
	if (record == NULL)
		return;
	record->a = value;
	collector_commit();
}

void capture_set_device(CAPTURE_CALL, int device)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE)
		thread_state.device = device;
}

void capture_entry_point(CAPTURE_CALL, const char *symbol)
{
	uint32_t name = 0;
	if (symbol != NULL && collector_thread.ring != NULL) {
		int saved = errno;
		name = collector_name(symbol, strnlen(symbol, 256));
		errno = saved;
	}
	struct record *record = capture_record(call, result, RECORD_CALL);
	if (record == NULL)
		return;
	record->name = name;
	collector_commit();
}
