/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <stdlib.h>

#include "clock.h"
#include "context.h"
#include "hostfn.h"
#include "late.h"
#include "settings.h"
#include "state.h"

#define STREAM_MAGIC 0x53545245414d2d31ull

static CUstream free_streams;
static uint32_t last_id = 12;            /* numbers of created streams begin at 13 */
static __thread CUstream thread_streams; /* this thread's default stream of each context */

void stream_init_legacy(CUstream stream, CUcontext context)
{
	stream->magic = STREAM_MAGIC;
	stream->context = context;
	stream->id = STREAM_LEGACY_ID;
	stream->kind = STREAM_LEGACY;
}

CUstream stream_create(CUcontext context, uint32_t flags, int priority, enum stream_kind kind)
{
	CUstream stream = free_streams;
	uint64_t *ends = NULL;
	if (stream) {
		free_streams = stream->next;
		ends = stream->ends;
	} else {
		stream = calloc(1, sizeof(*stream));
		if (!stream)
			return NULL;
	}
	*stream = (struct CUstream_st){.magic = STREAM_MAGIC,
		.context = context,
		.id = ++last_id,
		.flags = flags,
		.priority = priority,
		.kind = kind,
		.ends = ends};
	return stream;
}

void stream_destroy(CUstream stream)
{
	stream->magic = 0;
	stream->next = free_streams;
	free_streams = stream;
}

static CUstream per_thread_stream(CUcontext context)
{
	for (CUstream stream = thread_streams; stream; stream = stream->next) {
		if (stream->context == context)
			return stream;
	}
	state_lock();
	CUstream stream = stream_create(context, 0, 0, STREAM_PER_THREAD);
	state_unlock();
	if (stream) {
		stream->next = thread_streams;
		thread_streams = stream;
	}
	return stream;
}

CUstream stream_resolve(const struct sim_call *call, CUstream handle)
{
	if (!handle)
		handle = call->per_thread ? CUDA_STREAM_PER_THREAD : CUDA_STREAM_LEGACY;
	CUcontext context = context_current();
	if (!context)
		return NULL;
	if (handle == CUDA_STREAM_LEGACY)
		return &context->legacy;
	if (handle == CUDA_STREAM_PER_THREAD)
		return per_thread_stream(context);
	return handle->magic == STREAM_MAGIC ? handle : NULL;
}

CUstream stream_of_call(struct sim_call *call, CUstream handle)
{
	CUstream stream = stream_resolve(call, handle);
	if (stream) {
		call->detail.stream = stream->id;
		call->detail.device = (uint32_t)stream->context->device;
		call->detail.set |= SIM_SET_STREAM | SIM_SET_DEVICE;
	}
	return stream;
}

struct sim_point point_latest(struct sim_point a, struct sim_point b)
{
	a = late_fold_locked(a);
	b = late_fold_locked(b);
	if (b.end_ns > a.end_ns)
		a.end_ns = b.end_ns;
	a.late = late_join_locked(a.late, b.late);
	if (b.callback > a.callback)
		a.callback = b.callback;
	return a;
}

struct sim_point stream_ready(CUstream stream)
{
	if (stream->kind == STREAM_LEGACY)
		return point_latest(stream->end, stream->context->blocking);
	if (stream->flags & CUDA_STREAM_NON_BLOCKING)
		return stream->end;
	return point_latest(stream->end, stream->context->legacy.end);
}

struct sim_point stream_ready_surely(CUstream stream)
{
	struct sim_point ready = late_fold_locked(stream_ready(stream));
	while (ready.late) {
		state_unlock();
		late_wait(ready.late);
		state_lock();
		ready = late_fold_locked(stream_ready(stream));
	}
	return ready;
}

void stream_advance(CUstream stream, struct sim_point end)
{
	CUcontext context = stream->context;
	stream->end = point_latest(stream->end, end);
	context->latest = point_latest(context->latest, end);
	if (stream->kind != STREAM_LEGACY && !(stream->flags & CUDA_STREAM_NON_BLOCKING))
		context->blocking = point_latest(context->blocking, end);
}

void stream_submit(CUstream stream, uint64_t end_ns)
{
	unsigned queue = settings_get()->queue;
	if (!stream->ends)
		stream->ends = calloc(queue, sizeof(*stream->ends));
	if (stream->ends)
		stream->ends[stream->submitted++ % queue] = end_ns;
}

void stream_wait_queue(CUstream stream)
{
	unsigned queue = settings_get()->queue;
	uint64_t end_ns = 0;
	state_lock();
	if (stream->ends && stream->submitted >= queue)
		end_ns = stream->ends[stream->submitted % queue];
	state_unlock();
	if (end_ns)
		clock_wait(end_ns);
}

int point_passed(struct sim_point point)
{
	if (point.late && !late_done(point.late))
		return 0;
	point = late_fold(point);
	return clock_now() >= point.end_ns && hostfn_done(point.callback, point.end_ns);
}

void point_wait(struct sim_call *call, struct sim_point point)
{
	call->detail.set |= SIM_SET_WAITS;
	late_wait(point.late);
	point = late_fold(point);
	if (point.end_ns > clock_now())
		clock_wait(point.end_ns);
	if (point.callback)
		hostfn_wait(point.callback, point.end_ns);
}
