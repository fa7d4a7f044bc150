/* SPDX-License-Identifier: MIT */
#include "collector/base/clock.h"

#include "collector/own/descriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#define CLOCK_SOURCE_PATH "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define TRIPLE_TRIES      5

bool clock_use_tsc = false;

/*
 * The counter runs at one rate in every power state, says the processor. The loader has asked it
 * already: each question of a guest takes microseconds. Where libc does not tell, it is asked
 * again, but not whether it has this leaf: all of 64 bits have more.
 */
static bool counter_is_invariant(void)
{
#if defined(CPU_FEATURE_PRESENT)
	return CPU_FEATURE_PRESENT(INVARIANT_TSC);
#elif defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;
	__cpuid(0x80000007u, eax, ebx, ecx, edx);
	return (edx & (1u << 8)) != 0;
#else
	return false;
#endif
}

/* The kernel watches the counters of all processors and leaves "tsc" when they disagree. */
static bool kernel_trusts_counter(void)
{
	char name[8] = "";
	int fd = descriptor_open_alone(CLOCK_SOURCE_PATH);
	if (fd < 0)
		return false;
	/* Bare: no look-up of libc's functions for a program that may need none. */
	long got = syscall(SYS_read, fd, name, sizeof(name) - 1);
	(void)syscall(SYS_close, fd);
	return got >= 3 && memcmp(name, "tsc\n", (size_t)got < 4 ? 3 : 4) == 0;
}

void clock_init(bool force_monotonic)
{
	static bool decided;
	if (__atomic_exchange_n(&decided, true, __ATOMIC_ACQ_REL))
		return;
	int saved = errno;
	clock_use_tsc = !force_monotonic && kernel_trusts_counter() && counter_is_invariant();
	errno = saved;
}

static uint64_t realtime_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

void clock_read_triple(struct clock_triple *ret_triple)
{
	uint64_t narrowest = UINT64_MAX;
	for (int i = 0; i < TRIPLE_TRIES; i++) {
		uint64_t before = clock_ticks();
		uint64_t monotonic = clock_monotonic_ns();
		uint64_t after = clock_ticks();
		uint64_t realtime = realtime_ns();
		uint64_t last = clock_ticks();
		if (last - before >= narrowest)
			continue;
		narrowest = last - before;
		ret_triple->ticks = clock_use_tsc ? before + (after - before) / 2 : monotonic;
		ret_triple->monotonic_ns = monotonic;
		/* Half a clock read later than the other two: tens of nanoseconds. */
		ret_triple->realtime_ns = realtime;
	}
}

void clock_scale_from(const struct clock_triple *earlier, const struct clock_triple *later,
	struct clock_scale *ret_scale)
{
	uint64_t ticks = later->ticks - earlier->ticks;
	uint64_t ns = later->monotonic_ns - earlier->monotonic_ns;
	ret_scale->base_ticks = earlier->ticks;
	ret_scale->base_ns = earlier->monotonic_ns;
	if (!clock_use_tsc || ticks == 0 || ns == 0)
		ret_scale->mult = 1ull << 32;
	else
		ret_scale->mult = (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}
