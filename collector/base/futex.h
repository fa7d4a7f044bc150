/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a 32-bit word of this process to change, and waking who waits. Every wait has a
 * bound. A wait may end for no reason: look at the word again. Any thread; waking also in a
 * signal handler. errno may change.
 */
#ifndef COLLECTOR_BASE_FUTEX_H
#define COLLECTOR_BASE_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/base/clock.h"

/* Until somebody wakes, the time is over, or at once when the word is not value. */
static inline void futex_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = {
		(time_t)(timeout_ns / 1000000000ull), (long)(timeout_ns % 1000000000ull)};
	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

/* All that wait for the word. */
static inline void futex_wake(uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Until the word is no longer value, at most until until_ns of CLOCK_MONOTONIC. 0 or -ETIMEDOUT. */
static inline int futex_wait_while(uint32_t *word, uint32_t value, uint64_t until_ns)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) {
		uint64_t now_ns = clock_monotonic_ns();
		if (now_ns >= until_ns)
			return -ETIMEDOUT;
		futex_wait(word, value, until_ns - now_ns);
	}
	return 0;
}

#endif
