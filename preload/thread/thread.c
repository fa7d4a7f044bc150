/* SPDX-License-Identifier: MIT */
#include "preload/thread/thread.h"

#include "preload/thread/peek.h"

bool thread_call_is_alive(void)
{
#if defined(__x86_64__)
	const void *now = NULL;
	/* Through the kernel: it may have been on the stack of a coroutine that is gone. */
	return peek((const char *)thread_state.stack - sizeof(now), &now, sizeof(now)) &&
	       now == thread_state.caller;
#else
	return true;
#endif
}
