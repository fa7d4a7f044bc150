/* SPDX-License-Identifier: MIT */
#include "preload/track/stream_capture.h"

#include "preload/thread/thread.h"

#include <stddef.h>

#define STREAM_PER_THREAD 2u

/* key 0: free. A capture is named by the key of the stream it began on. */
struct member {
	uint64_t key;
	uint64_t capture;
};
static struct member streams[STREAM_CAPTURE_LIMIT];
static struct member events[STREAM_CAPTURE_LIMIT];
uint32_t stream_capture_count;

uint64_t stream_capture_key(const void *stream, bool per_thread)
{
	uint64_t key = (uint64_t)(uintptr_t)stream;
	if (key == STREAM_PER_THREAD || (key == 0 && per_thread))
		return (uint64_t)(uintptr_t)&thread_state;
	return key;
}

static struct member *find(struct member *members, uint64_t key)
{
	for (unsigned i = 0; key != 0 && i < STREAM_CAPTURE_LIMIT; i++)
		if (__atomic_load_n(&members[i].key, __ATOMIC_ACQUIRE) == key)
			return &members[i];
	return NULL;
}

/* Make key a member of capture; capture 0 takes it out. */
static void set(struct member *members, uint64_t key, uint64_t capture)
{
	struct member *known = find(members, key);
	if (known != NULL) {
		__atomic_store_n(&known->capture, capture, __ATOMIC_RELAXED);
		if (capture == 0)
			__atomic_store_n(&known->key, 0, __ATOMIC_RELEASE);
		return;
	}
	for (unsigned i = 0; key != 0 && capture != 0 && i < STREAM_CAPTURE_LIMIT; i++) {
		uint64_t none = 0;
		if (!__atomic_compare_exchange_n(
			    &members[i].key, &none, key, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&members[i].capture, capture, __ATOMIC_RELEASE);
		return;
	}
}

static void leave_all(struct member *members, uint64_t capture)
{
	for (unsigned i = 0; i < STREAM_CAPTURE_LIMIT; i++)
		if (__atomic_load_n(&members[i].capture, __ATOMIC_ACQUIRE) == capture) {
			__atomic_store_n(&members[i].capture, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&members[i].key, 0, __ATOMIC_RELEASE);
		}
}

void stream_capture_begin(uint64_t stream)
{
	if (stream == 0)
		return;
	set(streams, stream, stream);
	(void)__atomic_fetch_add(&stream_capture_count, 1, __ATOMIC_RELEASE);
}

void stream_capture_end(uint64_t stream)
{
	if (stream == 0 || find(streams, stream) == NULL)
		return;
	leave_all(streams, stream);
	leave_all(events, stream);
	(void)__atomic_fetch_sub(&stream_capture_count, 1, __ATOMIC_RELEASE);
}

void stream_capture_event(const void *event, uint64_t stream)
{
	if (__atomic_load_n(&stream_capture_count, __ATOMIC_ACQUIRE) == 0)
		return;
	const struct member *member = find(streams, stream);
	set(events, (uint64_t)(uintptr_t)event,
		member == NULL ? 0 : __atomic_load_n(&member->capture, __ATOMIC_RELAXED));
}

void stream_capture_join(uint64_t stream, const void *event)
{
	if (__atomic_load_n(&stream_capture_count, __ATOMIC_ACQUIRE) == 0)
		return;
	const struct member *member = find(events, (uint64_t)(uintptr_t)event);
	if (member != NULL && find(streams, stream) == NULL)
		set(streams, stream, __atomic_load_n(&member->capture, __ATOMIC_RELAXED));
}

bool stream_capture_find(uint64_t stream)
{
	return find(streams, stream) != NULL;
}
