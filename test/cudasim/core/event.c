/* SPDX-License-Identifier: MIT */
#include "event.h"

#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "late.h"
#include "state.h"

#define EVENT_MAGIC 0x4556454e542d2d31ull

static CUevent free_events;
static uint64_t last_id;

CUevent event_create(unsigned flags)
{
	state_lock();
	CUevent event = free_events;
	if (event)
		free_events = event->next;
	else
		event = malloc(sizeof(*event));
	if (event)
		*event = (struct CUevent_st){.magic = EVENT_MAGIC, .id = ++last_id, .flags = flags};
	state_unlock();
	return event;
}

void event_destroy(CUevent event)
{
	state_lock();
	free(event->nodes.nodes);
	event->nodes = (struct node_list){0};
	event->magic = 0;
	event->next = free_events;
	free_events = event;
	state_unlock();
}

int event_is_valid(CUevent event)
{
	return event && event->magic == EVENT_MAGIC;
}

int event_record(CUstream stream, CUevent event)
{
	if (stream->capture)
		return capture_record_event(stream, event);
	int result = capture_check_legacy(stream);
	if (result)
		return result;
	state_lock();
	struct sim_point point = stream_ready(stream);
	uint64_t now_ns = clock_now();
	if (point.end_ns < now_ns)
		point.end_ns = now_ns;
	event->recorded = 1;
	event->capture = NULL;
	event->point = point;
	stream_advance(stream, point);
	state_unlock();
	return 0;
}

int event_make_wait(CUstream stream, CUevent event)
{
	if (event->capture || stream->capture)
		return capture_wait_event(stream, event);
	if (!event->recorded)
		return 0;
	state_lock();
	stream_advance(stream, point_latest(stream_ready(stream), event->point));
	state_unlock();
	return 0;
}

struct sim_point event_point(CUevent event)
{
	state_lock();
	struct sim_point point = event->point;
	state_unlock();
	return point;
}

int event_elapsed(CUevent begin, CUevent end, float *ret_ms)
{
	if ((begin->flags | end->flags) & CUDA_EVENT_DISABLE_TIMING)
		return cudaErrorInvalidResourceHandle;
	if (!begin->recorded || !end->recorded)
		return cudaErrorInvalidResourceHandle;
	struct sim_point from = event_point(begin), to = event_point(end);
	if (!point_passed(from) || !point_passed(to))
		return cudaErrorNotReady;
	from = late_fold(from);
	to = late_fold(to);
	*ret_ms = (float)(((double)to.end_ns - (double)from.end_ns) / 1e6);
	return 0;
}
