/* SPDX-License-Identifier: MIT */
#include "preload/pauses/holder.h"

#include "preload/frameworks/frameworks.h"
#include "preload/thread/peek.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STATE_BYTES  256u  /* of a thread state that are searched; it is larger in every version */
#define THREAD_BYTES 1024u /* of what a pthread_t points to */
#define ABSENT       UINT32_MAX
#define TRIES        64

static struct {
	uint32_t id;     /* in a thread state: the pthread_t */
	uint32_t native; /* in a thread state: the system's id, or ABSENT */
	uint32_t tid;    /* in what a pthread_t points to: the system's id, or ABSENT */
} offsets;
static int known; /* offsets are filled in */
static int tries = TRIES;

/* Where size bytes stand, aligned to them; ABSENT when nowhere. */
static uint32_t find(const char *bytes, uint32_t length, const void *value, uint32_t size)
{
	for (uint32_t at = 0; at + size <= length; at += size)
		if (memcmp(bytes + at, value, size) == 0)
			return at;
	return ABSENT;
}

/* Racing threads find the same. */
static bool learn(void)
{
	char bytes[THREAD_BYTES];
	pthread_t self = pthread_self();
	uint64_t id = (uint64_t)self;
	uint64_t native = (uint64_t)syscall(SYS_gettid);
	uint32_t tid = (uint32_t)native;
	const char *state = frameworks.python_this_thread();
	if (state == NULL || !peek(state, bytes, STATE_BYTES))
		return false;
	uint32_t at = find(bytes, STATE_BYTES, &id, sizeof(id));
	if (at == ABSENT)
		return false;
	bool follows = at + 16 <= STATE_BYTES && memcmp(bytes + at + 8, &native, 8) == 0;
	uint32_t inside = ABSENT;
	if (!follows && peek((const void *)self, bytes, THREAD_BYTES))
		inside = find(bytes, THREAD_BYTES, &tid, sizeof(tid));
	if (!follows && inside == ABSENT)
		return false;
	offsets.id = at;
	offsets.native = follows ? at + 8 : ABSENT;
	offsets.tid = inside;
	__atomic_store_n(&known, 1, __ATOMIC_RELEASE);
	return true;
}

static bool may_learn(void)
{
	return __atomic_load_n(&tries, __ATOMIC_RELAXED) > 0 &&
	       __atomic_sub_fetch(&tries, 1, __ATOMIC_RELAXED) >= 0 && learn();
}

uint32_t holder_thread(const void *state)
{
	if (state == NULL || (__atomic_load_n(&known, __ATOMIC_ACQUIRE) == 0 && !may_learn()))
		return 0;
	const char *place = state;
	uint64_t tid = 0;
	const char *id;
	if (offsets.native != ABSENT) {
		if (!peek(place + offsets.native, &tid, sizeof(tid)))
			return 0;
	} else if (!peek(place + offsets.id, &id, sizeof(id)) ||
		   !peek(id + offsets.tid, &tid, sizeof(uint32_t))) {
		return 0;
	}
	if (tid == 0 || tid > INT32_MAX || syscall(SYS_tgkill, getpid(), (pid_t)tid, 0) != 0)
		return 0;
	return (uint32_t)tid;
}
