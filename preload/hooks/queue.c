/* SPDX-License-Identifier: MIT */
#include "preload/hooks/queue.h"

#include "collector/format/fields.h"
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/hooks/wait.h"
#include "preload/process/process.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define MISSES_LIMIT 8u
#define SHORTEST     13u /* longer than a length by itself, and than what ends a queue */

static bool is_open;

void wait_thread_begins(void)
{
	if (wait_records_calls())
		__atomic_store_n(&is_open, true, __ATOMIC_RELAXED);
}

static bool is_pipe(int descriptor)
{
	struct stat status;
	return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* With a message the recording of who helps begins: it is the first that the process has done. */
static void note(int descriptor, const void *buffer, size_t size, uint64_t begin)
{
	int saved = errno;
	if (!guard_enter())
		return;
	uint64_t end = clock_ticks();
	bool is_given = is_pipe(descriptor);
	int64_t number = is_given ? queue_number(buffer, size) : -1;
	struct record *record = NULL;
	if (is_given && descriptor > STDERR_FILENO)
		wait_gave();
	if (number < 0)
		thread_state.not_queued++;
	else if ((collector_is_running() || collector_helps()) && process_is_own())
		record = collector_reserve();
	if (record != NULL) {
		thread_state.not_queued = 0;
		*record = (struct record){.begin = begin,
			.end = end,
			.kind = RECORD_QUEUE,
			.call = HOOK_write,
			.a = record_bits_QUEUE_number((uint32_t)number),
			.b = size};
		collector_commit();
	}
	guard_leave();
	errno = saved;
}

/* Not inlined, so that the usual way is a jump without a frame. */
static __attribute__((noinline)) ssize_t wait_write(int fd, const void *buffer, size_t size)
{
	/* inside the library, or where the clock itself is forbidden */
	if (guard.busy != 0 || collector_enabled == 0)
		return real.write(fd, buffer, size);
	bool waits = collector_thread.ring != NULL && wait_wanted();
	uint64_t begin = clock_ticks();
	ssize_t result = real.write(fd, buffer, size);
	if (waits && clock_ticks() - begin >= WAIT_LEAST_TICKS)
		wait_over(&(struct wait){.begin = begin,
			.call = HOOK_write,
			.what = INPUT_WRITE,
			.descriptor = fd,
			.result = result,
			.bytes = result,
			.caller = __builtin_return_address(0)});
	if (size >= SHORTEST && result == (ssize_t)size && thread_state.not_queued < MISSES_LIMIT &&
		guard.busy == 0 && is_open && collector_enabled != 0)
		note(fd, buffer, size, begin);
	return result;
}

HOOK_EXPORT ssize_t hook_write(int fd, const void *buffer, size_t size) __asm__("write");
ssize_t hook_write(int fd, const void *buffer, size_t size)
{
	bool looks = collector_thread.ring != NULL ||
		     (is_open && thread_state.not_queued < MISSES_LIMIT);
	return (looks ? wait_write : real.write)(fd, buffer, size);
}
