/* SPDX-License-Identifier: MIT */
/*
 * What all captures begin with: a slot in the thread's ring whose common part is filled. Inline
 * where launches need it, the rest in begin.c.
 *
 * With the guard taken, on any thread; otherwise as capture.h says.
 */
#ifndef PRELOAD_CAPTURE_BEGIN_H
#define PRELOAD_CAPTURE_BEGIN_H

#include "collector/collector.h"
#include "collector/format/fields.h"
#include "preload/calls/abi.h"
#include "preload/calls/calls.h"
#include "preload/cupti/activity.h"
#include "preload/python/callsite.h"
#include "preload/thread/thread.h"
#include "preload/track/stream_capture.h"

/* What every capture gets first. */
#define CAPTURE_CALL const struct hook_call *call, cudaError_t result

/* The calling thread has no ring yet: make the preparations and attach it. False: not recording. */
bool capture_attach(void);

/* A slot with the common fields filled and the kind's own ones undefined, or NULL. */
static inline __attribute__((always_inline)) struct record *capture_begin(
	CAPTURE_CALL, enum record_kind kind)
{
	if (__builtin_expect(
		    (activity_skipped[(call->flags & HOOK_DRIVER) != 0] & 1u << kind) != 0, 0) &&
		!activity_should_record(call->flags, result, kind))
		return NULL;
	if (__builtin_expect(collector_thread.ring == NULL, 0) && !capture_attach())
		return NULL;
	uint32_t place = callsite_place(call->caller);
	/* collector_reserve(), whose first test was made above. */
	const struct collector_thread *self = &collector_thread;
	struct record *record = &self->records[self->head & self->mask];
	if (__builtin_expect(self->head - self->seen_tail > self->mask, 0)) {
		record = collector_reserve_slow();
		if (record == NULL)
			return NULL;
	}
#if defined(__x86_64__)
	/* The drain thread has read the slots ahead: take one back while there is time. */
	__asm__("prefetchw 256(%0)" : : "r"(record));
#endif
	record->begin = call->begin;
	record->end = call->end;
	record->kind = (uint16_t)kind;
	record->call = call->id;
	record->place = place;
	record->result = result;
	return record;
}

/*
 * A slot whose common part is filled and whose other slots are 0; NULL when nothing is to be
 * recorded. Must be followed by collector_commit().
 */
struct record *capture_record(CAPTURE_CALL, enum record_kind kind);

/* Flags of a call on a stream. */
static inline uint32_t capture_flags(
	const struct hook_call *call, const void *stream, uint32_t more)
{
	bool per_thread = (call->flags & HOOK_PER_THREAD) != 0;
	more |= call->flags & HOOK_DRIVER;
	if (per_thread)
		more |= RECORD_PER_THREAD;
	if (stream_is_captured(stream, per_thread))
		more |= RECORD_CAPTURED;
	return more;
}

/* The calling thread's device, where most kinds have it in slot b. */
static inline uint64_t capture_device_bits(void)
{
	return thread_state.device_bits;
}

/* The same as a number. */
static inline unsigned capture_device(void)
{
	const struct record record = {.b = thread_state.device_bits};
	return record_device(&record);
}

#endif
