/* SPDX-License-Identifier: MIT */
#include "../core/stream.h"

#include <string.h>

#include "../core/capture.h"
#include "../core/copy.h"
#include "../core/state.h"
#include "driver.h"

/* Size of CUstreamAttrValue, and how many attributes a stream keeps. */
#define ATTRIBUTE_BYTES 64
#define ATTRIBUTE_COUNT 8

int sim_cuStreamCreateWithPriority(
	struct sim_call *call, CUstream *ret_stream, unsigned flags, int priority)
{
	if (!ret_stream || flags > CUDA_STREAM_NON_BLOCKING)
		return cudaErrorInvalidValue;
	if (priority > 0)
		priority = 0;
	if (priority < -5)
		priority = -5;
	state_lock();
	CUstream stream = stream_create(context_current(), flags, priority, STREAM_CREATED);
	state_unlock();
	if (!stream)
		return cudaErrorMemoryAllocation;
	*ret_stream = stream;
	call->detail.set |= SIM_SET_STREAM | SIM_SET_FLAGS;
	call->detail.stream = stream->id;
	call->detail.flags = flags;
	call_tell(SIM_STREAM_CREATED, call, stream->context, stream);
	return 0;
}

int sim_cuStreamCreate(struct sim_call *call, CUstream *ret_stream, unsigned flags)
{
	return sim_cuStreamCreateWithPriority(call, ret_stream, flags, 0);
}

/* What is on the stream goes on; only the handle is gone. */
int sim_cuStreamDestroy_v2(struct sim_call *call, CUstream handle)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream || stream->kind != STREAM_CREATED)
		return cudaErrorInvalidResourceHandle;
	if (stream->capture)
		return capture_forbid(stream);
	call_tell(SIM_STREAM_ENDS, call, stream->context, stream);
	state_lock();
	stream_destroy(stream);
	state_unlock();
	return 0;
}

int sim_cuStreamGetPriority(struct sim_call *call, CUstream handle, int *ret_priority)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	*ret_priority = stream->priority;
	return 0;
}

int sim_cuStreamGetFlags(struct sim_call *call, CUstream handle, unsigned *ret_flags)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	*ret_flags = stream->flags;
	return 0;
}

int sim_cuStreamGetId(struct sim_call *call, CUstream handle, unsigned long long *ret_id)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	*ret_id = stream->id;
	return 0;
}

int sim_cuStreamGetCtx(struct sim_call *call, CUstream handle, CUcontext *ret_context)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	*ret_context = stream->context;
	return 0;
}

int sim_cuStreamGetDevice(struct sim_call *call, CUstream handle, CUdevice *ret_device)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	*ret_device = stream->context->device;
	return 0;
}

static struct sim_point end_of(CUstream stream)
{
	state_lock();
	struct sim_point point = stream_ready(stream);
	if (stream->kind != STREAM_LEGACY)
		point = stream->end;
	state_unlock();
	return point;
}

int sim_cuStreamQuery(struct sim_call *call, CUstream handle)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	int result = capture_forbid(stream);
	if (result == 0)
		result = capture_check_legacy(stream);
	if (result)
		return result;
	return point_passed(end_of(stream)) ? 0 : cudaErrorNotReady;
}

int sim_cuStreamSynchronize(struct sim_call *call, CUstream handle)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	int result = capture_forbid(stream);
	if (result == 0)
		result = capture_check_legacy(stream);
	if (result)
		return result;
	point_wait(call, end_of(stream));
	return 0;
}

int sim_cuStreamWaitEvent(struct sim_call *call, CUstream handle, CUevent event, unsigned flags)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream || !event_is_valid(event))
		return cudaErrorInvalidResourceHandle;
	call->detail.set |= SIM_SET_EVENT;
	call->detail.event = event->id;
	if (flags & ~1u)
		return cudaErrorInvalidValue;
	return event_make_wait(stream, event);
}

static int add_function(struct sim_call *call, CUstream handle, struct work *work)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	work->type = WORK_HOST;
	work->op = (struct sim_op){.kind = OP_HOST, .engine = ENGINE_NONE};
	return work_submit(call, stream, work, NULL);
}

int sim_cuStreamAddCallback(struct sim_call *call, CUstream handle, cuda_stream_callback *callback,
	void *user_data, unsigned flags)
{
	struct work work = {.callback = callback, .user_data = user_data, .stream = handle};
	if (!callback || flags)
		return cudaErrorInvalidValue;
	CUstream stream = stream_resolve(call, handle);
	if (stream && stream->capture)
		return capture_forbid(stream);
	return add_function(call, handle, &work);
}

int sim_cuLaunchHostFunc(
	struct sim_call *call, CUstream handle, cuda_host_function *function, void *user_data)
{
	struct work work = {.function = function, .user_data = user_data};
	if (!function)
		return cudaErrorInvalidValue;
	int result = add_function(call, handle, &work);
	call_spend(call);
	return result;
}

int sim_cuStreamGetAttribute(struct sim_call *call, CUstream handle, int attribute, void *ret_value)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!ret_value || attribute < 0 || attribute >= ATTRIBUTE_COUNT)
		return cudaErrorInvalidValue;
	memcpy(ret_value, stream->attributes[attribute], ATTRIBUTE_BYTES);
	return 0;
}

int sim_cuStreamSetAttribute(
	struct sim_call *call, CUstream handle, int attribute, const void *value)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!value || attribute < 0 || attribute >= ATTRIBUTE_COUNT)
		return cudaErrorInvalidValue;
	memcpy(stream->attributes[attribute], value, ATTRIBUTE_BYTES);
	return 0;
}

int sim_cuStreamCopyAttributes(struct sim_call *call, CUstream target, CUstream source)
{
	CUstream from = stream_resolve(call, source), to = stream_of_call(call, target);
	if (!from || !to)
		return cudaErrorInvalidResourceHandle;
	memmove(to->attributes, from->attributes, sizeof(to->attributes));
	return 0;
}

int sim_cuStreamAttachMemAsync(
	struct sim_call *call, CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags)
{
	(void)address;
	(void)bytes;
	(void)flags;
	return stream_of_call(call, handle) ? 0 : cudaErrorInvalidResourceHandle;
}
