/* SPDX-License-Identifier: MIT */
#include "capture.h"

#include <stdlib.h>

#include "call.h"
#include "state.h"

static struct capture *captures; /* in progress */
static int capture_count;        /* read without the lock: nothing to check when 0 */
static uint64_t last_id;
static __thread int thread_mode = CUDA_CAPTURE_GLOBAL;

static int spoil(struct capture *capture, int error)
{
	capture->status = CUDA_CAPTURE_INVALIDATED;
	return error;
}

int capture_exchange_mode(int mode)
{
	int before = thread_mode;
	thread_mode = mode;
	return before;
}

static void start_locked(CUstream stream, struct capture *capture)
{
	capture->id = ++last_id;
	capture->next = captures;
	captures = capture;
	stream->capture = capture;
	__atomic_add_fetch(&capture_count, 1, __ATOMIC_RELAXED);
}

int capture_begin(CUstream stream, int mode, CUgraph graph, const struct node_list *after)
{
	if (mode < CUDA_CAPTURE_GLOBAL || mode > CUDA_CAPTURE_RELAXED)
		return cudaErrorInvalidValue;
	if (stream->kind == STREAM_LEGACY)
		return cudaErrorStreamCaptureUnsupported;
	if (stream->capture)
		return cudaErrorIllegalState;
	struct capture *capture = calloc(1, sizeof(*capture));
	if (!capture)
		return cudaErrorMemoryAllocation;
	*capture = (struct capture){.graph = graph ? graph : graph_create(),
		.origin = stream,
		.mode = mode,
		.status = CUDA_CAPTURE_ACTIVE,
		.thread = call_thread_id(),
		.graph_is_given = graph != NULL};
	if (!capture->graph || node_list_set(&stream->tail, after)) {
		free(capture);
		return cudaErrorMemoryAllocation;
	}
	state_lock();
	start_locked(stream, capture);
	state_unlock();
	return 0;
}

/* Marks all that the given nodes come after, and themselves. */
static void mark_reached(const struct node_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->nodes[i]->reached)
			continue;
		list->nodes[i]->reached = 1;
		mark_reached(&list->nodes[i]->after);
	}
}

/* Every captured node must lie before the origin's last one, else a stream was not joined. */
static int is_joined(const struct capture *capture, size_t first)
{
	const struct node_list *nodes = &capture->graph->nodes;
	for (size_t i = 0; i < nodes->count; i++)
		nodes->nodes[i]->reached = 0;
	mark_reached(&capture->origin->tail);
	for (size_t i = first; i < nodes->count; i++) {
		if (!nodes->nodes[i]->reached)
			return 0;
	}
	return 1;
}

static void stop_locked(struct capture *capture)
{
	struct capture **link = &captures;
	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	__atomic_sub_fetch(&capture_count, 1, __ATOMIC_RELAXED);
	capture->origin->capture = NULL;
	for (CUstream stream = capture->joined; stream; stream = stream->next_joined)
		stream->capture = NULL;
}

int capture_end(CUstream stream, CUgraph *ret_graph)
{
	struct capture *capture = stream->capture;
	int result = 0;
	if (!capture)
		return cudaErrorIllegalState;
	if (capture->origin != stream)
		return cudaErrorStreamCaptureUnmatched;
	if (capture->mode != CUDA_CAPTURE_RELAXED && capture->thread != call_thread_id())
		return cudaErrorStreamCaptureWrongThread;
	if (capture->status == CUDA_CAPTURE_INVALIDATED)
		result = cudaErrorStreamCaptureInvalidated;
	else if (!capture->graph_is_given && !is_joined(capture, 0))
		result = cudaErrorStreamCaptureUnjoined;
	state_lock();
	stop_locked(capture);
	state_unlock();
	if (result && !capture->graph_is_given)
		graph_destroy(capture->graph);
	*ret_graph = result ? NULL : capture->graph;
	free(capture);
	return result;
}

int capture_add(CUstream stream, const struct work *work)
{
	struct capture *capture = stream->capture;
	if (capture->status == CUDA_CAPTURE_INVALIDATED)
		return cudaErrorStreamCaptureInvalidated;
	CUgraphNode node = graph_add(capture->graph, work_keep(work), &stream->tail);
	if (!node)
		return spoil(capture, cudaErrorMemoryAllocation);
	return node_list_set(&stream->tail, &(struct node_list){&node, 1});
}

int capture_add_exec(CUstream stream, CUgraphExec exec)
{
	struct capture *capture = stream->capture;
	if (capture->status == CUDA_CAPTURE_INVALIDATED)
		return cudaErrorStreamCaptureInvalidated;
	return graph_add_exec(capture->graph, exec, &stream->tail);
}

int capture_record_event(CUstream stream, CUevent event)
{
	event->capture = stream->capture;
	event->capture_id = stream->capture->id;
	return node_list_set(&event->nodes, &stream->tail);
}

static int is_active(const struct capture *wanted, uint64_t id)
{
	struct capture *capture = captures;
	while (capture && (capture != wanted || capture->id != id))
		capture = capture->next;
	return capture != NULL;
}

int capture_wait_event(CUstream stream, CUevent event)
{
	state_lock();
	int active = event->capture && is_active(event->capture, event->capture_id);
	state_unlock();
	if (!active && !event->recorded && !event->capture)
		return 0;
	if (!active)
		return stream->capture ? spoil(stream->capture, cudaErrorStreamCaptureIsolation)
				       : cudaErrorCapturedEvent;
	if (stream->capture && stream->capture != event->capture)
		return spoil(stream->capture, cudaErrorStreamCaptureMerge);
	if (stream->kind == STREAM_LEGACY)
		return spoil(event->capture, cudaErrorStreamCaptureImplicit);
	if (!stream->capture) {
		stream->capture = event->capture;
		stream->next_joined = event->capture->joined;
		event->capture->joined = stream;
		return node_list_set(&stream->tail, &event->nodes);
	}
	return node_list_merge(&stream->tail, &event->nodes);
}

int capture_forbid(CUstream stream)
{
	if (!stream->capture)
		return 0;
	return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
}

int capture_check_legacy(CUstream stream)
{
	int result = 0;
	if (stream->kind != STREAM_LEGACY || __atomic_load_n(&capture_count, __ATOMIC_RELAXED) == 0)
		return 0;
	state_lock();
	for (struct capture *capture = captures; capture; capture = capture->next) {
		if (capture->origin->context == stream->context &&
			!(capture->origin->flags & CUDA_STREAM_NON_BLOCKING))
			result = spoil(capture, cudaErrorStreamCaptureImplicit);
	}
	state_unlock();
	return result;
}

/* Does the capture forbid unsafe calls to a thread in that mode? */
static int forbids(const struct capture *capture, int mode)
{
	if (mode == CUDA_CAPTURE_RELAXED || capture->mode == CUDA_CAPTURE_RELAXED)
		return 0;
	if (capture->thread == call_thread_id())
		return 1;
	return mode == CUDA_CAPTURE_GLOBAL && capture->mode == CUDA_CAPTURE_GLOBAL;
}

int capture_check_unsafe(void)
{
	int result = 0;
	if (__atomic_load_n(&capture_count, __ATOMIC_RELAXED) == 0)
		return 0;
	state_lock();
	for (struct capture *capture = captures; capture; capture = capture->next) {
		if (forbids(capture, thread_mode))
			result = spoil(capture, cudaErrorStreamCaptureUnsupported);
	}
	state_unlock();
	return result;
}

int capture_check_none(void)
{
	int result = 0;
	state_lock();
	for (struct capture *capture = captures; capture; capture = capture->next) {
		if (capture->origin->context == context_current())
			result = spoil(capture, cudaErrorStreamCaptureUnsupported);
	}
	state_unlock();
	return result;
}
