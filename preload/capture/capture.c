/* SPDX-License-Identifier: MIT */
#include "preload/capture/capture.h"

#include "collector/describe.h"
#include "preload/capture/launch.h"
#include "preload/thread/peek.h"
#include "preload/track/kernel.h"
#include "preload/window/window.h"

#include <errno.h>
#include <string.h>

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
		kernel_alias(stub, *handle, false);
}

/* What a launch of the driver takes belongs to a context. */
void capture_function_handle(CAPTURE_CALL, void *const *handle, const void *kernel)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE && handle != NULL)
		kernel_alias(kernel, *handle, true);
}

void capture_library_kernel(
	CAPTURE_CALL, void *const *handle, const void *library, const char *name)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE && handle != NULL)
		kernel_register_copy(library, *handle, name, false);
}

void capture_module_function(
	CAPTURE_CALL, void *const *handle, const void *module, const char *name)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE && handle != NULL)
		kernel_register_copy(module, *handle, name, true);
}

void capture_library_module(CAPTURE_CALL, void *const *module, const void *library)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE && module != NULL)
		kernel_link(library, *module);
}

/* Names that were asked for have no group; any unload may end them, and they are asked again. */
void capture_unload(CAPTURE_CALL, const void *group)
{
	if (result == CUDA_SUCCESS_CODE) {
		kernel_forget(group);
		kernel_forget(NULL);
	}
	capture_call(call, result, (uintptr_t)group);
}

const void *capture_copied(const void *given, void *own, size_t size)
{
	return peek(given, own, size) ? own : NULL;
}

void capture_launch_config(CAPTURE_CALL, const cudaLaunchConfig_t *config, const void *function)
{
	cudaLaunchConfig_t own;
	config = capture_struct(result, config, &own, sizeof(own));
	if (config == NULL) {
		capture_call(call, result, 0);
		return;
	}
	capture_launch(call, result, function, &config->gridDim, &config->blockDim,
		config->dynamicSmemBytes, config->stream, 0);
}

void capture_launch_devices(CAPTURE_CALL, const struct cudaLaunchParams *launches, unsigned count)
{
	struct cudaLaunchParams own;
	launches = capture_struct(result, launches, &own, sizeof(own));
	if (launches == NULL || count == 0) {
		capture_call(call, result, count);
		return;
	}
	capture_launch(call, result, launches->func, &launches->gridDim, &launches->blockDim,
		launches->sharedMem, launches->stream, RECORD_COOPERATIVE);
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
	record->b = record_bits_SYNC_scope(scope) | capture_device_bits();
	record->d = capture_flags(call, stream, 0);
	collector_commit();
}

void capture_call(CAPTURE_CALL, uint64_t value)
{
	struct record *record = capture_record(call, result, RECORD_CALL);
	if (record == NULL)
		return;
	record->a = value;
	record->d = call->flags & HOOK_DRIVER;
	collector_commit();
}

void capture_stream_call(CAPTURE_CALL, uint64_t value, const void *stream)
{
	struct record *record = capture_record(call, result, RECORD_CALL);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = value;
	record->d = capture_flags(call, stream, RECORD_ASYNC);
	collector_commit();
}

/* The value is the handle of what the call made. */
void capture_made(CAPTURE_CALL, void *const *handle)
{
	const void *made = result == CUDA_SUCCESS_CODE && handle != NULL ? *handle : NULL;
	capture_call(call, result, (uintptr_t)made);
}

void capture_set_device(CAPTURE_CALL, int device)
{
	static uint64_t chosen; /* by any thread, a bit for each device */
	uint64_t bit = 1ull << ((unsigned)device & 63);
	if (result != CUDA_SUCCESS_CODE)
		return;
	thread_state.chosen_bits = record_bits_device((unsigned)device);
	thread_state.device_bits = thread_state.chosen_bits;
	if ((__atomic_load_n(&chosen, __ATOMIC_RELAXED) & bit) == 0 &&
		(__atomic_fetch_or(&chosen, bit, __ATOMIC_RELAXED) & bit) == 0)
		capture_call(call, result, (unsigned)device);
}

/* Whatever it returns: the program has asked for it. */
void capture_profiler(CAPTURE_CALL, bool on)
{
	if (!on)
		capture_call(call, result, 0);
	window_profiler(on);
	if (on)
		capture_call(call, result, 0);
}

void capture_entry_point(CAPTURE_CALL, const char *symbol)
{
	struct record *record = capture_record(call, result, RECORD_CALL);
	if (record == NULL)
		return;
	char own[256];
	if (result != CUDA_SUCCESS_CODE)
		symbol = peek_text(symbol, own, sizeof(own)) ? own : NULL;
	if (symbol != NULL) {
		int saved = errno;
		record->name = collector_name(symbol, strnlen(symbol, 256));
		errno = saved;
	}
	collector_commit();
}
