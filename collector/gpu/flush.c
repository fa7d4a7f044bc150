/* SPDX-License-Identifier: MIT */
#include "collector/gpu/flush.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "collector/base/futex.h"
#include "collector/gpu/library.h"
#include "collector/gpu/state.h"

#define FLUSH_FORCED  1u
#define FLUSH_WAIT_NS 2000000000ull

static struct {
	void (*keep_off)(void);
	uint32_t done; /* a futex */
	int answer;
} flush;

static void *flush_thread(void *unused)
{
	(void)unused;
	if (flush.keep_off != NULL)
		flush.keep_off();
	int answer = GPU_ASK(cuptiActivityFlushAll, FLUSH_FORCED);
	flush.answer = answer;
	__atomic_store_n(&flush.done, 1, __ATOMIC_RELEASE);
	futex_wake(&flush.done);
	return NULL;
}

static int make_flush_thread(void)
{
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before);
	int code = pthread_create(&thread, NULL, flush_thread, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code == 0)
		(void)pthread_detach(thread);
	return -code;
}

int gpu_flush_all(void (*keep_off)(void), char *ret_reason)
{
	uint64_t until_ns = clock_monotonic_ns() + FLUSH_WAIT_NS;
	flush.keep_off = keep_off;
	__atomic_store_n(&flush.done, 0, __ATOMIC_RELEASE);
	/* Not on this thread: nothing bounds how long it takes. */
	if (make_flush_thread() < 0) {
		(void)snprintf(ret_reason, GPU_REASON_BYTES,
			"cuptiActivityFlushAll: no thread can be made for it");
		return -EAGAIN;
	}
	if (futex_wait_while(&flush.done, 0, until_ns) < 0) {
		(void)snprintf(
			ret_reason, GPU_REASON_BYTES, "cuptiActivityFlushAll does not return");
		return -ETIMEDOUT;
	}
	if (flush.answer == GPU_OK)
		return 0;
	gpu_state_reason("cuptiActivityFlushAll", flush.answer, ret_reason);
	return -EIO;
}
