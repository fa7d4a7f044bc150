/* SPDX-License-Identifier: MIT */
/*
 * Which streams are being captured into a graph, so that launches and copies on them are
 * marked: they did not run.
 *
 * A capture begins on one stream; another joins it when it waits for an event that was
 * recorded on a captured stream, and all leave when the capture ends. Small lock-free
 * tables that are looked at only while a capture is in progress anywhere in the process;
 * beyond their size streams go unmarked. A null stream of a _ptsz form is the thread's
 * own; the legacy stream cannot be captured.
 */
#ifndef PRELOAD_CAPTURING_H
#define PRELOAD_CAPTURING_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/own/linkage.h"

#define STREAM_CAPTURE_LIMIT 256u

/* Captures in progress. */
extern uint32_t stream_capture_count __attribute__((visibility("hidden")));

/* Key of a stream as a call names it. */
uint64_t stream_capture_key(const void *stream, bool per_thread);

void stream_capture_begin(uint64_t stream);
void stream_capture_end(uint64_t stream);

/* An event was recorded on stream; a stream waits for an event. */
void stream_capture_event(const void *event, uint64_t stream);
void stream_capture_join(uint64_t stream, const void *event);

/* Slow part of the test below. */
bool stream_capture_find(uint64_t stream);

/* True when what is enqueued on the stream is captured instead of run. */
static inline bool stream_is_captured(const void *stream, bool per_thread)
{
	if (__builtin_expect(LINKAGE_PEEK(stream_capture_count) == 0, 1))
		return false;
	return stream_capture_find(stream_capture_key(stream, per_thread));
}

#endif
