/* SPDX-License-Identifier: MIT */
/*
 * A thread that gives up the processor's clock, as strict sandboxes do and PR_SET_TSC does, would
 * die of our reading it. From there on its hooks forward, and its calls are counted as skipped.
 * Where it forbids itself other calls to the kernel, its waits are not looked at: those of a thread
 * that goes on with CUDA are again.
 */
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/thread/guard.h"
#include "preload/thread/thread.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

HOOK_EXPORT int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
	unsigned long d) __asm__("prctl");

static bool gives_up_clock(int option, unsigned long a)
{
	return (option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT) ||
	       (option == PR_SET_TSC && a == PR_TSC_SIGSEGV);
}

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	/* it is never left again, but where the kernel refuses */
	bool entered = gives_up_clock(option, a) && guard_enter();
	int result = real.prctl(option, a, b, c, d);
	if (entered && result != 0)
		guard_leave();
	if (option == PR_SET_SECCOMP)
		thread_state.stack = NULL;
	return result;
}
