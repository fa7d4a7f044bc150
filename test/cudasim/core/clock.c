/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <errno.h>

/* What is left to spin after the sleep; larger than slack plus wake-up time of a quiet machine. */
#define SPIN_NS 120000u

static void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("" ::: "memory");
#endif
}

void clock_spin(uint64_t end_ns)
{
	while (clock_now() < end_ns)
		pause_briefly();
}

void clock_wait(uint64_t end_ns)
{
	int saved_errno = errno;
	if (end_ns > clock_now() + SPIN_NS) {
		uint64_t wake_ns = end_ns - SPIN_NS;
		struct timespec wake = {.tv_sec = (time_t)(wake_ns / 1000000000u),
			.tv_nsec = (long)(wake_ns % 1000000000u)};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR)
			;
	}
	clock_spin(end_ns);
	errno = saved_errno;
}
