/* SPDX-License-Identifier: MIT */
#include "preload/hooks/wait.h"

#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/cuda/real.h"
#include "preload/hooks/file.h"
#include "preload/hooks/worker.h"
#include "preload/pauses/pauses.h"
#include "preload/process/process.h"
#include "preload/python/callsite.h"

#include <errno.h>
#include <sys/stat.h>

bool wait_enabled;
static bool only_interpreter;
static uint64_t reference_ticks, reference_ns;

static void read_reference(void)
{
	reference_ticks = clock_ticks();
	reference_ns = clock_monotonic_ns();
}

void wait_init(void)
{
	real_resolve_libc();
	read_reference();
}

void wait_enable(bool calls, bool interpreter)
{
	only_interpreter = !calls;
	wait_enabled = calls || interpreter;
}

bool wait_records_calls(void)
{
	return wait_enabled && !only_interpreter;
}

/*
 * What a recorded process forks and goes on with works for it, as loaders do: what blocks it is of
 * interest. Called before the collector forgets its parent.
 */
void wait_after_fork(void)
{
	thread_state.stack = collector_is_running() ? __builtin_frame_address(0) : NULL;
	/* Its clock may be another one, in a namespace of times. */
	read_reference();
	worker_after_fork();
}

/* A forked child that only waits for time to pass, or for its own children, is none of that. */
static bool may_begin(const struct wait *wait)
{
	return wait->what <= INPUT_LOCK || collector_is_running();
}

/* Most find what they look for in memory: that is no wait. */
static uint64_t least_ns(const struct wait *wait)
{
	return wait->what >= INPUT_OPEN ? FILE_LEAST_NS : WAIT_LEAST_NS;
}

/* ticks as nanoseconds, by the rate since the start; good to a few percent after a millisecond. */
static uint64_t ticks_to_ns(uint64_t ticks)
{
	if (!clock_use_tsc)
		return ticks;
	uint64_t past_ticks = clock_ticks() - reference_ticks;
	uint64_t past_ns = clock_monotonic_ns() - reference_ns;
	if (past_ticks == 0)
		return ticks;
	return (uint64_t)((__uint128_t)ticks * past_ns / past_ticks);
}

/* What is behind a descriptor now; it may have been closed or be another meanwhile. */
static enum input_medium medium_of(int descriptor)
{
	struct stat status;
	if (descriptor < 0 || fstat(descriptor, &status) != 0)
		return MEDIUM_UNKNOWN;
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return MEDIUM_FILE;
	case S_IFIFO:
		return MEDIUM_PIPE;
	case S_IFSOCK:
		return MEDIUM_SOCKET;
	default:
		return MEDIUM_OTHER;
	}
}

static void store(const struct wait *wait, int error, uint64_t begin, uint64_t end)
{
	enum input_medium medium = medium_of(wait->descriptor);
	if (wait->what >= INPUT_OPEN && medium == MEDIUM_UNKNOWN)
		medium = MEDIUM_FILE;
	uint32_t place = callsite_place(wait->caller);
	worker_look();
	struct file file = {.name = 0};
	if (medium == MEDIUM_FILE)
		file = file_of(wait->descriptor, ticks_to_ns(end - begin));
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	*record = (struct record){
		.begin = begin,
		.end = end,
		.kind = RECORD_INPUT,
		.call = wait->call,
		.place = place,
		.result = error,
		.a = record_bits_INPUT_descriptor((unsigned)wait->descriptor) |
		     record_bits_INPUT_filesystem(file.system),
		.b = (uint64_t)wait->bytes,
		.c = record_bits_INPUT_what(wait->what) | record_bits_INPUT_medium(medium),
		.name = file.name,
	};
	collector_commit();
}

void wait_looked(enum input_what what, uint64_t ticks)
{
	if (only_interpreter || !collector_is_running())
		return;
	int saved = errno;
	collector_count(what == INPUT_OPEN ? COUNTER_OPENS : COUNTER_STATS, 1);
	collector_count(what == INPUT_OPEN ? COUNTER_OPEN_NS : COUNTER_STAT_NS, ticks_to_ns(ticks));
	errno = saved;
}

void wait_over(const struct wait *wait)
{
	int saved = errno, error = wait->is_code ? (int)wait->result : wait->result < 0 ? saved : 0;
	uint64_t end = clock_ticks(), begin = wait->begin;
	if (begin < thread_state.wait_end)
		begin = thread_state.wait_end;
	/* The process may be a vfork child that shares this thread's ring. */
	if (end > begin && ticks_to_ns(end - begin) >= least_ns(wait) && process_is_own() &&
		guard_enter()) {
		thread_state.wait_end = end;
		bool told = wait->object != NULL && pauses_waited(wait->object, begin, end);
		if (!told && !only_interpreter && may_begin(wait))
			store(wait, error, begin, end);
		guard_leave();
	}
	errno = saved;
}
