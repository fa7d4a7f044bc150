/* SPDX-License-Identifier: MIT */
#include "preload/python/python.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/check.h"
#include "preload/python/interpreter.h"
#include "preload/python/owner.h"
#include "preload/python/trail.h"
#include "preload/python/watch.h"
#include "preload/thread/threadmem.h"

#define CHECK_COUNT 64 /* reads that are checked before layout is trusted */

#define NOBODY ((const char *)1)

struct cache {
	bool is_main_thread;
	struct owner_found owner;
	struct trails trails;
};

enum state {
	STATE_UNKNOWN,
	STATE_CHECKED, /* in use, but not trusted yet */
	STATE_READY,
	STATE_REFUSED
};

python_place_function *python_place_of;

static uint32_t place_checked(void);
static python_place_function *place_function(void);

static int state;
static int unchecked = CHECK_COUNT;
static bool enabled = true;
static const char *refusal;
static struct python_layout layout;
static void *(*this_thread)(void);
static int (*finalizing)(void);
static struct threadmem pool;
static __thread struct {
	struct cache *cache;
	/*
	 * The state of the thread for which all is prepared: there is a cache, and it is watched.
	 * The main thread's alone: an interpreter that ends frees the states of all others.
	 */
	const char *ready;
} own __attribute__((tls_model("initial-exec"))) = {.ready = NOBODY};

static inline const char *innermost_frame(const struct python_layout *known, const char *thread)
{
	const char *frame = trail_pointer(thread, known->thread_frame);
	if (known->link_frame != PYTHON_NO_LINK)
		frame = trail_pointer(frame, known->link_frame);
	return frame;
}

static void refuse(const char *reason)
{
	refusal = reason;
	__atomic_store_n(&python_place_of, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&state, STATE_REFUSED, __ATOMIC_RELAXED);
	collector_source("python", "failed", reason);
}

/* The cache of a thread that has none; the check of the layout while it is not yet trusted. */
static __attribute__((noinline)) bool prepare(const char *thread)
{
	if (own.cache == NULL) {
		own.cache = threadmem_take(&pool, sizeof(*own.cache));
		if (own.cache == NULL)
			return false;
		trails_begin(&own.cache->trails);
		own.cache->is_main_thread = syscall(SYS_gettid) == getpid();
	}
	if (__atomic_load_n(&state, __ATOMIC_RELAXED) == STATE_READY)
		return true;
	const char *reason = NULL;
	if (!python_check(&layout, thread, &reason)) {
		if (reason != NULL)
			refuse(reason);
		return false;
	}
	if (__atomic_sub_fetch(&unchecked, 1, __ATOMIC_RELAXED) == 0) {
		__atomic_store_n(&state, STATE_READY, __ATOMIC_RELEASE);
		__atomic_store_n(&python_place_of, place_function(), __ATOMIC_RELEASE);
	}
	return true;
}

/* The caller's innermost frame; NULL: none that can be read. Then it has a cache, too. */
static inline const char *own_frame(void)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (__builtin_expect(now != STATE_READY && now != STATE_CHECKED, 0))
		return NULL;
	const char *thread = this_thread();
	watch(&layout, thread);
	if (thread == NULL)
		return NULL;
	if (__builtin_expect(own.cache == NULL || now != STATE_READY, 0) && !prepare(thread))
		return NULL;
	if (!own.cache->is_main_thread && finalizing() != 0)
		return NULL;
	if (own.cache->is_main_thread && now == STATE_READY && collector_thread.watched == thread)
		own.ready = thread;
	return innermost_frame(&layout, thread);
}

uint64_t python_owner(const char *function, const char *file)
{
	const char *frame = own_frame();
	return frame != NULL ? owner_of(&layout, frame, function, file, &own.cache->owner) : 0;
}

bool python_numbers(const struct owner_numbers *wanted, uint32_t ret_numbers[2])
{
	const char *frame = own_frame();
	return frame != NULL && owner_numbers(&layout, frame, wanted, ret_numbers);
}

bool python_runs(const char *function, const char *file)
{
	const char *frame = own_frame();
	return frame != NULL && owner_runs(&layout, frame, function, file);
}

/* For whom not all is prepared, and for threads that may outlive the interpreter. */
static __attribute__((noinline)) uint32_t place_checked(void)
{
	const char *frame = own_frame();
	if (frame == NULL)
		return 0;
	const struct trail *trail = trails_find(&layout, &own.cache->trails, frame);
	return trail != NULL ? trail->place : trails_walk(&own.cache->trails, frame);
}

/* One for each layout that is known beforehand, so that its offsets are constants. */
static inline __attribute__((always_inline)) uint32_t place_at_once(
	const struct python_layout *known)
{
	const char *thread = this_thread();
	if (__builtin_expect(thread != own.ready, 0))
		return place_checked();
	struct trails *trails = &own.cache->trails;
	const char *frame = innermost_frame(known, thread);
	if (frame == NULL)
		return 0;
	const struct trail *trail = trails_find(known, trails, frame);
	return __builtin_expect(trail != NULL, 1) ? trail->place : trails_walk(trails, frame);
}

#define PLACE_AT_ONCE(name, known)                                                                 \
	static uint32_t place_##name(void)                                                         \
	{                                                                                          \
		return place_at_once(known);                                                       \
	}
PLACE_AT_ONCE(any, &layout)
PLACE_AT_ONCE(3_11, &python_layout_3_11)
PLACE_AT_ONCE(3_12, &python_layout_3_12)
PLACE_AT_ONCE(3_13, &python_layout_3_13)

static python_place_function *place_function(void)
{
	static const struct {
		const struct python_layout *layout;
		python_place_function *function;
	} known[] = {{&python_layout_3_11, place_3_11}, {&python_layout_3_12, place_3_12},
		{&python_layout_3_13, place_3_13}};
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (memcmp(known[i].layout, &layout, sizeof(layout)) == 0)
			return known[i].function;
	return place_any;
}

void python_thread_begins(void)
{
	own.ready = NOBODY;
}

static int never(void)
{
	return 0;
}

static void attach(void)
{
	struct python_version version = {.hex = interpreter_find()};
	if (version.hex == 0) {
		static bool told;
		if (!told)
			collector_source("python", "absent", "no interpreter in this process");
		told = true;
		return;
	}
	version.runtime = frameworks.python_runtime;
	char text[32];
	(void)snprintf(text, sizeof(text), "%u.%u.%u", version.hex >> 24, version.hex >> 16 & 255,
		version.hex >> 8 & 255);
	collector_version("python", text);
	const char *reason = python_layout(&version, &layout);
	if (reason != NULL) {
		refuse(reason);
		return;
	}
	trails_use(&layout);
	this_thread = frameworks.python_this_thread;
	finalizing = frameworks.python_finalizing;
	if (finalizing == NULL)
		finalizing = frameworks.python_finalizing_old;
	if (finalizing == NULL)
		finalizing = never;
	collector_source("python", "active", NULL);
	__atomic_store_n(&state, STATE_CHECKED, __ATOMIC_RELEASE);
	__atomic_store_n(&python_place_of, place_checked, __ATOMIC_RELEASE);
}

void python_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_UNKNOWN)
		frameworks_search(&search, attach);
}

const struct python_layout *python_known_layout(const char **ret_reason)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (now == STATE_READY || now == STATE_CHECKED)
		return &layout;
	*ret_reason = !enabled               ? "needs the source python"
		      : now == STATE_REFUSED ? refusal
					     : "no interpreter in this process";
	return NULL;
}

void python_enable(bool on)
{
	enabled = on;
	if (!on) {
		__atomic_store_n(&python_place_of, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&state, STATE_UNKNOWN, __ATOMIC_RELAXED);
		collector_source("python", "off", NULL);
	}
}
