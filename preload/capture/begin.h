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

/* Parts of a record. */
typedef uint16_t __attribute__((may_alias)) capture_half;
typedef uint32_t __attribute__((may_alias)) capture_word;
_Static_assert(offsetof(struct record, call) == offsetof(struct record, kind) + sizeof(uint16_t),
	"one word");

/* The calling thread has no ring yet: make the preparations and attach it. False: not recording. */
bool capture_attach(void);

/* collector_reserve() when no slot is known to be free, with capture_attach(). */
struct record *capture_slot(void);

/* A slot with the common fields filled and the kind's own ones undefined, or NULL. */
static inline __attribute__((always_inline)) struct record *capture_begin(
	CAPTURE_CALL, enum record_kind kind)
{
	if (__builtin_expect(
		    (activity_skipped[(call->flags & HOOK_DRIVER) != 0] & 1u << kind) != 0, 0) &&
		!activity_should_record(call->flags, result, kind))
		return NULL;
	/* collector_reserve(), with the preparations of a thread's first event. */
	struct record *record = collector_thread.slot;
	if (__builtin_expect(record >= collector_thread.stop, 0)) {
		record = capture_slot();
		if (record == NULL)
			return NULL;
	}
#if defined(__x86_64__)
	/* The drain thread has read the slots ahead: take one back while there is time. */
	__asm__("prefetchw 256(%0)" : : "r"(record));
#endif
	record->begin = call->begin;
	record->end = call->end;
	/* both are constants: one store */
	*(capture_word *)&record->kind = (uint32_t)kind | (uint32_t)call->id << 16;
	record->place = callsite_place(thread_state.caller);
	record->result = result;
	return record;
}

/*
 * A slot whose common part is filled and whose other slots are 0; NULL when nothing is to be
 * recorded. Must be followed by collector_commit().
 */
struct record *capture_record(CAPTURE_CALL, enum record_kind kind);

/* Flags that follow from the function alone. */
static inline uint32_t capture_kind_flags(const struct hook_call *call)
{
	return (call->flags & HOOK_DRIVER) |
	       ((call->flags & HOOK_PER_THREAD) != 0 ? RECORD_PER_THREAD : 0);
}

static inline bool capture_is_captured(const struct hook_call *call, const void *stream)
{
	return stream_is_captured(stream, (call->flags & HOOK_PER_THREAD) != 0);
}

/* Flags of a call on a stream. */
static inline uint32_t capture_flags(
	const struct hook_call *call, const void *stream, uint32_t more)
{
	return capture_kind_flags(call) | more |
	       (capture_is_captured(call, stream) ? RECORD_CAPTURED : 0);
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
