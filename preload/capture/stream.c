/* SPDX-License-Identifier: MIT */
/* Captures of events, streams and graphs. */
#include "preload/capture/capture.h"
#include "preload/track/stream_capture.h"

static bool is_per_thread(const struct hook_call *call)
{
	return (call->flags & HOOK_PER_THREAD) != 0;
}

static void event_record(CAPTURE_CALL, const void *event, const void *stream, uint32_t flags)
{
	struct record *record = capture_record(call, result, RECORD_EVENT);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = (uint64_t)(uintptr_t)event;
	record->b = capture_device_bits();
	record->d = capture_flags(call, stream, flags);
	collector_commit();
}

void capture_event(CAPTURE_CALL, const void *event, uint32_t flags)
{
	if ((flags & RECORD_QUERY) != 0 && result == CUDA_NOT_READY)
		flags |= RECORD_NOT_READY;
	event_record(call, result, event, NULL, flags);
}

void capture_event_create(CAPTURE_CALL, cudaEvent_t const *event)
{
	const void *made = result == CUDA_SUCCESS_CODE && event != NULL ? *event : NULL;
	event_record(call, result, made, NULL, RECORD_CREATE);
}

void capture_event_record(CAPTURE_CALL, const void *event, const void *stream)
{
	if (result == CUDA_SUCCESS_CODE)
		stream_capture_event(event, stream_capture_key(stream, is_per_thread(call)));
	event_record(call, result, event, stream, RECORD_ASYNC);
}

void capture_stream_wait(CAPTURE_CALL, const void *stream, const void *event)
{
	if (result == CUDA_SUCCESS_CODE)
		stream_capture_join(stream_capture_key(stream, is_per_thread(call)), event);
	event_record(call, result, event, stream, RECORD_STREAM_WAIT | RECORD_ASYNC);
}

static void stream_record(CAPTURE_CALL, const void *stream, int priority, uint32_t flags)
{
	struct record *record = capture_record(call, result, RECORD_STREAM);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = record_bits_STREAM_priority((unsigned)priority);
	record->b = capture_device_bits();
	record->d = capture_flags(call, stream, flags);
	collector_commit();
}

void capture_stream_create(CAPTURE_CALL, cudaStream_t const *stream, int priority)
{
	const void *made = result == CUDA_SUCCESS_CODE && stream != NULL ? *stream : NULL;
	stream_record(call, result, made, priority, RECORD_CREATE);
}

void capture_stream_destroy(CAPTURE_CALL, const void *stream)
{
	if (result == CUDA_SUCCESS_CODE)
		stream_capture_end(stream_capture_key(stream, false));
	stream_record(call, result, stream, 0, RECORD_DESTROY);
}

void capture_stream_query(CAPTURE_CALL, const void *stream)
{
	stream_record(call, result, stream, 0,
		RECORD_QUERY | (result == CUDA_NOT_READY ? RECORD_NOT_READY : 0));
}

void capture_graph(
	CAPTURE_CALL, const void *graph, const void *exec, const void *stream, uint32_t flags)
{
	struct record *record = capture_record(call, result, RECORD_GRAPH);
	if (record == NULL)
		return;
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = (uint64_t)(uintptr_t)graph;
	record->b = (uint64_t)(uintptr_t)exec;
	record->d = capture_flags(call, stream, flags);
	collector_commit();
}

void capture_graph_begin(CAPTURE_CALL, const void *stream, const void *graph)
{
	if (result == CUDA_SUCCESS_CODE)
		stream_capture_begin(stream_capture_key(stream, is_per_thread(call)));
	capture_graph(call, result, graph, NULL, stream, RECORD_CAPTURED | RECORD_CREATE);
}

/* A capture that went wrong ends here too: whatever the call says, the stream is free again. */
void capture_graph_end(CAPTURE_CALL, const void *stream, cudaGraph_t const *graph)
{
	stream_capture_end(stream_capture_key(stream, is_per_thread(call)));
	const void *made = result == CUDA_SUCCESS_CODE && graph != NULL ? *graph : NULL;
	capture_graph(call, result, made, NULL, stream, RECORD_CAPTURED);
}

void capture_graph_instantiate(CAPTURE_CALL, cudaGraphExec_t const *exec, const void *graph)
{
	const void *made = result == CUDA_SUCCESS_CODE && exec != NULL ? *exec : NULL;
	capture_graph(call, result, graph, made, NULL, RECORD_INSTANTIATE);
}
