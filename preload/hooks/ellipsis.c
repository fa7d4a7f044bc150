/* SPDX-License-Identifier: MIT */
/*
 * fcntl and syscall, of which only some commands and numbers wait, or forbid what we need. The
 * parameters behind the ellipsis are passed on in the registers that they came in, whatever the
 * caller gave.
 */
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/hooks/wait.h"
#include "preload/thread/late.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

static bool wants_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

static bool waits_for_futex(long operation)
{
	operation &= FUTEX_CMD_MASK;
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
	       operation == FUTEX_LOCK_PI;
}

/* Not inlined, so that the usual way is a jump without a frame. */
#define FCNTL(name)                                                                                \
	static __attribute__((noinline)) int wait_##name(int fd, int command, void *argument)      \
	{                                                                                          \
		uint64_t begin = clock_ticks();                                                    \
		int result = real.name(fd, command, argument);                                     \
		if (clock_ticks() - begin >= WAIT_LEAST_TICKS)                                     \
			wait_over(&(struct wait){.begin = begin,                                   \
				.call = HOOK_##name,                                               \
				.what = INPUT_LOCK,                                                \
				.descriptor = fd,                                                  \
				.result = result,                                                  \
				.caller = __builtin_return_address(0)});                           \
		return result;                                                                     \
	}                                                                                          \
	HOOK_EXPORT int hook_##name(int fd, int command, void *argument) __asm__(#name);           \
	int hook_##name(int fd, int command, void *argument)                                       \
	{                                                                                          \
		bool waits =                                                                       \
			collector_thread.ring != NULL && wants_lock(command) && wait_wanted();     \
		return (waits ? wait_##name : real.name)(fd, command, argument);                   \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

static LATE __attribute__((used)) long wait_syscall(
	long number, long a, long b, long c, long d, long e, long f)
{
	if (!waits_for_futex(b) || !wait_wanted())
		return real.syscall(number, a, b, c, d, e, f);
	uint64_t begin = clock_ticks();
	long result = real.syscall(number, a, b, c, d, e, f);
	if (clock_ticks() - begin >= WAIT_LEAST_TICKS)
		wait_over(&(struct wait){.begin = begin,
			.call = HOOK_syscall,
			.what = INPUT_LOCK,
			.descriptor = -1,
			.result = result,
			.caller = __builtin_return_address(0)});
	return result;
}

/* In forbids.c. */
long forbids_by_number(long number, long a, long b, long c, long d, long e, long f)
	__attribute__((visibility("hidden")));

HOOK_EXPORT long hook_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__(
	"syscall");
#if defined(__x86_64__)
/*
 * The last parameter lies in the caller's frame, where the caller has something else when it gave
 * fewer: not even the same value may be stored there, as a compiler does for a jump out of C.
 */
_Static_assert(offsetof(struct thread_block, collector.ring) == 0, "as it is read here");
__attribute__((naked)) long hook_syscall(long number __attribute__((unused)),
	long a __attribute__((unused)), long b __attribute__((unused)),
	long c __attribute__((unused)), long d __attribute__((unused)),
	long e __attribute__((unused)), long f __attribute__((unused)))
{
	__asm__("cmpq %0, %%rdi\nje 2f\n"
		"cmpq %2, %%rdi\nje forbids_by_number\n"
		"cmpq %3, %%rdi\nje forbids_by_number\n"
		"1: jmp *real + %c1(%%rip)\n"
		"2: movq thread_block@gottpoff(%%rip), %%rax\n"
		"cmpq $0, %%fs:(%%rax)\nje 1b\n"
		"jmp wait_syscall"
		:
		: "i"(SYS_futex), "i"(offsetof(struct real, syscall)), "i"(SYS_prctl),
		"i"(SYS_seccomp));
}
#else
long hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*next)(long, long, long, long, long, long, long) = real.syscall;
	if (number == SYS_prctl || number == SYS_seccomp)
		next = forbids_by_number;
	else if (number == SYS_futex && collector_thread.ring != NULL)
		next = wait_syscall;
	return next(number, a, b, c, d, e, f);
}
#endif
