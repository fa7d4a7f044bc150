/* SPDX-License-Identifier: MIT */
#include "../core/event.h"

#include "../core/capture.h"
#include "driver.h"

/* Notes the event's number in the call. Returns 0, or an error if there is no such event. */
static int note_event(struct sim_call *call, CUevent event)
{
	if (!event_is_valid(event))
		return cudaErrorInvalidResourceHandle;
	call->detail.set |= SIM_SET_EVENT;
	call->detail.event = event->id;
	return 0;
}

int sim_cuEventCreate(struct sim_call *call, CUevent *ret_event, unsigned flags)
{
	if (!ret_event || flags & ~7u ||
		((flags & CUDA_EVENT_INTERPROCESS) && !(flags & CUDA_EVENT_DISABLE_TIMING)))
		return cudaErrorInvalidValue;
	CUevent event = event_create(flags);
	if (!event)
		return cudaErrorMemoryAllocation;
	*ret_event = event;
	call->detail.set |= SIM_SET_FLAGS;
	call->detail.flags = flags;
	return note_event(call, event);
}

int sim_cuEventRecordWithFlags(
	struct sim_call *call, CUevent event, CUstream handle, unsigned flags)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	int result = note_event(call, event);
	if (result)
		return result;
	if (flags & ~(unsigned)CUDA_EVENT_RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	if (stream->capture && flags & CUDA_EVENT_RECORD_EXTERNAL) {
		struct work work = {.type = WORK_RECORD_EVENT, .event = event};
		return capture_add(stream, &work);
	}
	result = event_record(stream, event);
	call->detail.moment_ns = stream->capture ? 0 : event->point.end_ns;
	return result;
}

int sim_cuEventRecord(struct sim_call *call, CUevent event, CUstream stream)
{
	return sim_cuEventRecordWithFlags(call, event, stream, 0);
}

int sim_cuEventQuery(struct sim_call *call, CUevent event)
{
	int result = note_event(call, event);
	if (result)
		return result;
	if (event->capture)
		return cudaErrorCapturedEvent;
	result = capture_check_unsafe();
	if (result)
		return result;
	return !event->recorded || point_passed(event_point(event)) ? 0 : cudaErrorNotReady;
}

int sim_cuEventSynchronize(struct sim_call *call, CUevent event)
{
	int result = note_event(call, event);
	if (result)
		return result;
	if (event->capture)
		return cudaErrorCapturedEvent;
	result = capture_check_unsafe();
	if (result)
		return result;
	point_wait(call, event_point(event));
	return 0;
}

int sim_cuEventDestroy_v2(struct sim_call *call, CUevent event)
{
	int result = note_event(call, event);
	if (result == 0)
		event_destroy(event);
	return result;
}

int sim_cuEventElapsedTime_v2(struct sim_call *call, float *ret_ms, CUevent begin, CUevent end)
{
	(void)call;
	if (!event_is_valid(begin) || !event_is_valid(end))
		return cudaErrorInvalidResourceHandle;
	return ret_ms ? event_elapsed(begin, end, ret_ms) : cudaErrorInvalidValue;
}

int sim_cuEventElapsedTime(struct sim_call *call, float *ret_ms, CUevent begin, CUevent end)
{
	return sim_cuEventElapsedTime_v2(call, ret_ms, begin, end);
}
