/* SPDX-License-Identifier: MIT */
#include "preload/track/capturing.h"

#include "preload/thread/thread.h"

#include <stddef.h>

#define STREAM_PER_THREAD 2u

/* key 0: free. A capture is named by the key of the stream it began on. */
struct member {
	uint64_t key;
	uint64_t capture;
};
static struct member streams[CAPTURING_LIMIT];
static struct member events[CAPTURING_LIMIT];
uint32_t capturing_count;

uint64_t capturing_key(const void *stream, bool per_thread)
{
	uint64_t key = (uint64_t)(uintptr_t)stream;
	if (key == STREAM_PER_THREAD || (key == 0 && per_thread))
		return (uint64_t)(uintptr_t)&thread_state;
	return key;
}

static struct member *find(struct member *members, uint64_t key)
{
	for (unsigned i = 0; key != 0 && i < CAPTURING_LIMIT; i++)
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
	for (unsigned i = 0; key != 0 && capture != 0 && i < CAPTURING_LIMIT; i++) {
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
	for (unsigned i = 0; i < CAPTURING_LIMIT; i++)
		if (__atomic_load_n(&members[i].capture, __ATOMIC_ACQUIRE) == capture) {
			__atomic_store_n(&members[i].capture, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&members[i].key, 0, __ATOMIC_RELEASE);
		}
}

void capturing_begin(uint64_t stream)
{
	if (stream == 0)
		return;
	set(streams, stream, stream);
	(void)__atomic_fetch_add(&capturing_count, 1, __ATOMIC_RELEASE);
}

void capturing_end(uint64_t stream)
{
	if (stream == 0 || find(streams, stream) == NULL)
		return;
	leave_all(streams, stream);
	leave_all(events, stream);
	(void)__atomic_fetch_sub(&capturing_count, 1, __ATOMIC_RELEASE);
}

void capturing_record(const void *event, uint64_t stream)
{
	if (__atomic_load_n(&capturing_count, __ATOMIC_ACQUIRE) == 0)
		return;
	const struct member *member = find(streams, stream);
	set(events, (uint64_t)(uintptr_t)event,
		member == NULL ? 0 : __atomic_load_n(&member->capture, __ATOMIC_RELAXED));
}

void capturing_wait(uint64_t stream, const void *event)
{
	if (__atomic_load_n(&capturing_count, __ATOMIC_ACQUIRE) == 0)
		return;
	const struct member *member = find(events, (uint64_t)(uintptr_t)event);
	if (member != NULL && find(streams, stream) == NULL)
		set(streams, stream, __atomic_load_n(&member->capture, __ATOMIC_RELAXED));
}

bool capturing_find(uint64_t stream)
{
	return find(streams, stream) != NULL;
}
