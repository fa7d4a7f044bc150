/* SPDX-License-Identifier: MIT */
#include "preload/capture/context.h"

#include "preload/cuda/driver.h"
#include "preload/track/context.h"
#include "preload/track/kernel.h"

static void use(int device)
{
	thread_state.device_bits = record_bits_device((unsigned)device);
}

/* context is current now. */
static void use_context(const void *context)
{
	int device = context_device(context);
	if (context == NULL) {
		thread_state.device_bits = thread_state.chosen_bits;
		return;
	}
	if (device < 0) {
		device = driver_current_device();
		if (device < 0)
			return;
		context_remember(context, device);
	}
	use(device);
}

void capture_context_create(CAPTURE_CALL, CUcontext const *context, CUdevice device)
{
	if (result == CUDA_SUCCESS_CODE && context != NULL) {
		context_remember(*context, device);
		use(device);
	}
	capture_call(call, result, (unsigned)device);
}

void capture_context_retain(CAPTURE_CALL, CUcontext const *context, CUdevice device)
{
	if (result == CUDA_SUCCESS_CODE && context != NULL)
		context_remember(*context, device);
	capture_call(call, result, (unsigned)device);
}

void capture_context_current(CAPTURE_CALL, const void *context)
{
	(void)call;
	if (result == CUDA_SUCCESS_CODE)
		use_context(context);
}

/* Which one is on top now only the driver knows. */
void capture_context_pop(CAPTURE_CALL)
{
	(void)call;
	const void *context = NULL;
	if (result == CUDA_SUCCESS_CODE && driver_current_context(&context))
		use_context(context);
}

void capture_context_destroy(CAPTURE_CALL, const void *context)
{
	if (result == CUDA_SUCCESS_CODE) {
		context_forget(context);
		kernel_forget_contexts();
		capture_context_pop(call, result);
	}
	capture_call(call, result, (uintptr_t)context);
}

/* Whether it was the last reference is not known: forget only what can be asked for again. */
void capture_context_release(CAPTURE_CALL, CUdevice device)
{
	if (result == CUDA_SUCCESS_CODE && driver_can_name())
		kernel_forget_contexts();
	capture_call(call, result, (unsigned)device);
}

void capture_context_reset(CAPTURE_CALL, CUdevice device)
{
	if (result == CUDA_SUCCESS_CODE)
		kernel_forget_contexts();
	capture_call(call, result, (unsigned)device);
}

void capture_context_sync(CAPTURE_CALL, const void *context)
{
	uint64_t own = thread_state.device_bits;
	int device = context_device(context);
	if (device >= 0)
		use(device);
	capture_sync(call, result, SYNC_DEVICE, NULL, NULL);
	thread_state.device_bits = own;
}
