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
static uint64_t ns_per_tick; /* with 32 bits behind the point */
static uint64_t rate_until;  /* ticks at which that is to be found out anew */
static bool gives;           /* the process has written to others */

static void read_reference(void)
{
	rate_until = 0;
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
 * interest. That one may begin to record later.
 */
void wait_after_fork(void)
{
	thread_state.stack = __builtin_frame_address(0);
	/* Its clock may be another one, in a namespace of times. */
	read_reference();
	worker_after_fork();
	wait_thread_begins();
	gives = false;
}

void wait_gave(void)
{
	__atomic_store_n(&gives, true, __ATOMIC_RELAXED);
}

/* With the waits of a forked child, whose parent does not record, nothing begins. */
static bool counts(void)
{
	return collector_is_running() || !process_role()->is_child || collector_helps();
}

/*
 * A forked child that only waits for time to pass, or for its own children, does not work for its
 * parent; but one that writes to others does.
 */
static bool may_begin(const struct wait *wait)
{
	return wait->what <= INPUT_LOCK || collector_is_running() ||
	       (process_role()->is_child && __atomic_load_n(&gives, __ATOMIC_RELAXED));
}

/* Most find what they look for in memory: that is no wait. */
static uint64_t least_ns(const struct wait *wait)
{
	return wait->what >= INPUT_OPEN ? FILE_LEAST_NS : WAIT_LEAST_NS;
}

/* Since the start; the longer that is ago, the longer it is good. */
static __attribute__((noinline)) uint64_t find_rate(uint64_t now)
{
	uint64_t past_ticks = now - reference_ticks;
	uint64_t past_ns = clock_monotonic_ns() - reference_ns;
	if (past_ticks == 0)
		return 1ull << 32;
	uint64_t rate = (uint64_t)(((__uint128_t)past_ns << 32) / past_ticks);
	__atomic_store_n(&ns_per_tick, rate, __ATOMIC_RELAXED);
	__atomic_store_n(&rate_until, now + past_ticks / 4, __ATOMIC_RELEASE);
	return rate;
}

/* ticks as nanoseconds, by the rate since the start; good to a few percent after a millisecond. */
static uint64_t ticks_to_ns(uint64_t ticks)
{
	if (!clock_use_tsc)
		return ticks;
	uint64_t now = clock_ticks();
	uint64_t rate = now < __atomic_load_n(&rate_until, __ATOMIC_ACQUIRE)
				? __atomic_load_n(&ns_per_tick, __ATOMIC_RELAXED)
				: find_rate(now);
	return (uint64_t)((__uint128_t)ticks * rate >> 32);
}

/*
 * What is behind a descriptor now; it may have been closed or be another meanwhile.
 * *ret_connection: which socket or pipe, as far as 16 bits tell; 0: neither.
 */
static enum input_medium medium_of(int descriptor, uint32_t *ret_connection)
{
	struct stat status;
	*ret_connection = 0;
	if (descriptor < 0 || fstat(descriptor, &status) != 0)
		return MEDIUM_UNKNOWN;
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return MEDIUM_FILE;
	case S_IFIFO:
		*ret_connection = 1 + (uint32_t)(status.st_ino % UINT16_MAX);
		return MEDIUM_PIPE;
	case S_IFSOCK:
		*ret_connection = 1 + (uint32_t)(status.st_ino % UINT16_MAX);
		return MEDIUM_SOCKET;
	default:
		return MEDIUM_OTHER;
	}
}

static void store(const struct wait *wait, int error, uint64_t begin, uint64_t end)
{
	uint32_t connection;
	enum input_medium medium = medium_of(wait->descriptor, &connection);
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
		.c = record_bits_INPUT_what(wait->what) | record_bits_INPUT_medium(medium) |
		     record_bits_INPUT_connection(connection),
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

/*
 * The process may be a vfork child that shares this thread's ring, or one that a signal's handler
 * forked meanwhile. A vfork child waits for no condition, which nobody of its own could meet: there
 * a look at the wiped page does, for a training step has several and this is a system call.
 */
static bool is_own(const struct wait *wait)
{
	return wait->object != NULL ? wiped.own != 0 : process_is_own();
}

void wait_over(const struct wait *wait)
{
	int saved = errno, error = wait->is_code ? (int)wait->result : wait->result < 0 ? saved : 0;
	uint64_t end = clock_ticks(), begin = wait->begin;
	if (begin < thread_state.wait_end)
		begin = thread_state.wait_end;
	if (end > begin && ticks_to_ns(end - begin) >= least_ns(wait) && is_own(wait) && counts() &&
		guard_enter()) {
		thread_state.wait_end = end;
		bool told = wait->object != NULL && pauses_waited(wait->object, begin, end);
		if (!told && !only_interpreter && may_begin(wait))
			store(wait, error, begin, end);
		guard_leave();
	}
	errno = saved;
}
