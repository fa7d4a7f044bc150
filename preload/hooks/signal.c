/* SPDX-License-Identifier: MIT */
/*
 * What the program does about SIGBUS comes behind our own handler, which has to be the first to see
 * the pages that are ours; all other signals are none of our business.
 */
#include "collector/own/fault.h"
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"

#include <signal.h>

HOOK_EXPORT int hook_sigaction(
	int number, const struct sigaction *action, struct sigaction *old) __asm__("sigaction");
HOOK_EXPORT __sighandler_t hook_signal(int number, __sighandler_t handler) __asm__("signal");

int hook_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	if (number == SIGBUS && fault_sigaction(action, old))
		return 0;
	return real.sigaction(number, action, old);
}

__sighandler_t hook_signal(int number, __sighandler_t handler)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
	if (number == SIGBUS && handler != SIG_ERR) {
		sigemptyset(&action.sa_mask);
		(void)sigaddset(&action.sa_mask, SIGBUS);
		if (fault_sigaction(&action, &old))
			return old.sa_handler;
	}
	return real.signal(number, handler);
}
