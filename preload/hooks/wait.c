/* SPDX-License-Identifier: MIT */
#include "preload/hooks/wait.h"

#include "collector/format/fields.h"
#include "preload/cuda/real.h"
#include "preload/process/process.h"
#include "preload/python/callsite.h"

#include <errno.h>

bool wait_enabled;
static uint64_t reference_ticks, reference_ns;

void wait_init(void)
{
	real_resolve_libc();
	reference_ticks = clock_ticks();
	reference_ns = clock_monotonic_ns();
}

void wait_after_fork(void)
{
	thread_state.stack = NULL;
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

void wait_over(uint16_t id, uint64_t begin, int descriptor, int64_t bytes, const void *caller)
{
	int saved = errno;
	uint64_t end = clock_ticks();
	/* The process may be a vfork child that shares this thread's ring. */
	if (ticks_to_ns(end - begin) < WAIT_LEAST_NS || !process_is_own() || !guard_enter())
		return;
	uint32_t place = callsite_place(caller);
	struct record *record = collector_reserve();
	if (record != NULL) {
		*record = (struct record){
			.begin = begin,
			.end = end,
			.kind = RECORD_INPUT,
			.call = id,
			.place = place,
			.result = bytes < 0 ? saved : 0,
			.a = record_bits_INPUT_descriptor((unsigned)descriptor),
			.b = (uint64_t)bytes,
		};
		collector_commit();
	}
	guard_leave();
	errno = saved;
}
