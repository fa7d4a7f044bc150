/* SPDX-License-Identifier: MIT */
/*
 * Files that are opened. The parameter behind an ellipsis is passed on in the register that it
 * came in, whatever the caller gave.
 */
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/hooks/wait.h"

#include <stdio.h>

/* Not inlined, so that the usual way is a jump without a frame. */
/* clang-format off */
#define OPENS(type, name, params, args, descriptor_)                                               \
	static __attribute__((noinline)) type wait_##name params                                   \
	{                                                                                          \
		if (!wait_wanted())                                                                \
			return real.name args;                                                     \
		uint64_t begin = clock_ticks();                                                    \
		type result = real.name args;                                                      \
		uint64_t took = clock_ticks() - begin;                                             \
		wait_looked(INPUT_OPEN, took);                                                     \
		if (took >= WAIT_LEAST_TICKS)                                                      \
			wait_over(&(struct wait){.begin = begin, .call = HOOK_##name,              \
				.what = INPUT_OPEN, .descriptor = descriptor_,                     \
				.result = descriptor_, .caller = __builtin_return_address(0)});    \
		return result;                                                                     \
	}                                                                                          \
	HOOK_EXPORT type hook_##name params __asm__(#name);                                        \
	type hook_##name params                                                                    \
	{                                                                                          \
		bool none = __builtin_expect(collector_thread.ring == NULL, 1);                    \
		return (none ? real.name : wait_##name) args;                                      \
	}
#define OPENS_FILE(name)                                                                           \
	OPENS(int, name, (const char *path, int flags, mode_t mode), (path, flags, mode), result)
#define OPENS_AT(name)                                                                             \
	OPENS(int, name, (int folder, const char *path, int flags, mode_t mode),                   \
		(folder, path, flags, mode), result)
#define OPENS_STREAM(name)                                                                         \
	OPENS(FILE *, name, (const char *path, const char *mode), (path, mode),                    \
		result != NULL ? fileno(result) : -1)

OPENS_FILE(open)
OPENS_FILE(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)
/* clang-format on */
