/* SPDX-License-Identifier: MIT */
/*
 * What a program forbids itself. A thread that gives up the processor's clock, as strict sandboxes
 * and PR_SET_TSC do, would die of our reading it; one under a filter of system calls would die of
 * the first one of ours that the filter ends.
 *
 * A thread in a strict sandbox, which can make no others, keeps the guard for ever: its hooks
 * forward, and its calls are counted as skipped. Behind PR_SET_TSC and a filter that a child has
 * not survived, which threads and children inherit, nothing is done any more in the process: its
 * recording is finished before. Behind other filters it goes on, but for waits, which are looked at
 * again when the thread calls CUDA.
 */
#include "collector/own/sandbox.h"
#include "collector/own/wiped.h"
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/process/ending.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"
#include "preload/thread/late.h"
#include "preload/thread/thread.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum forbids {
	FORBIDS_NOTHING,
	FORBIDS_ALL, /* a strict sandbox, with the clock */
	FORBIDS_CLOCK,
	FORBIDS_CALLS, /* a filter */
	FORBIDS_ASKED, /* one that may ask another process, which is not to be asked by us */
};

static enum forbids forbids_of(long number, long a, long b)
{
	if (number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER)
		return (b & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0 ? FORBIDS_ASKED : FORBIDS_CALLS;
	if (number == SYS_seccomp)
		return a == SECCOMP_SET_MODE_STRICT ? FORBIDS_ALL : FORBIDS_NOTHING;
	if (a == PR_SET_TSC)
		return b == PR_TSC_SIGSEGV ? FORBIDS_CLOCK : FORBIDS_NOTHING;
	if (a == PR_SET_SECCOMP)
		return b == SECCOMP_MODE_STRICT ? FORBIDS_ALL : FORBIDS_CALLS;
	return FORBIDS_NOTHING;
}

/*
 * Where nothing is recorded a filter is not tried: whatever it permits, we make no more calls for
 * forks and loads. A child in the memory of one that is recorded (vfork) speaks for itself alone.
 */
static bool is_unrecorded(enum forbids what)
{
	if (process_is_ready() && wiped.own != 0)
		return !process_is_own();
	if (what == FORBIDS_CALLS || what == FORBIDS_ASKED)
		sandbox_refuse();
	return true;
}

/* Before the call is made, by a process that may still make others. True: the guard is kept. */
static bool prepare(long number, long a, long b, long c)
{
	enum forbids what = forbids_of(number, a, b);
	if (what == FORBIDS_NOTHING || is_unrecorded(what) || !guard_enter())
		return false;
	if (what == FORBIDS_ALL)
		return true;
	if (what == FORBIDS_CLOCK) {
		ending_seal("no clock");
	} else if (what == FORBIDS_ASKED || !sandbox_would_permit(number, a, b, c)) {
		ending_seal("seccomp");
		sandbox_refuse();
	}
	thread_state.stack = NULL;
	guard_leave();
	return false;
}

HOOK_EXPORT int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
	unsigned long d) __asm__("prctl");

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	bool kept = prepare(SYS_prctl, option, (long)a, (long)b);
	int result = real.prctl(option, a, b, c, d);
	if (kept && result != 0)
		guard_leave();
	return result;
}

/* By the entry in ellipsis.c. */
LATE __attribute__((visibility("hidden"))) long forbids_by_number(
	long number, long a, long b, long c, long d, long e, long f);

long forbids_by_number(long number, long a, long b, long c, long d, long e, long f)
{
	bool kept = prepare(number, a, b, c);
	long result = real.syscall(number, a, b, c, d, e, f);
	if (kept && result != 0)
		guard_leave();
	return result;
}
