/* SPDX-License-Identifier: MIT */
/*
 * Files that are opened. The parameter behind an ellipsis is passed on in the register that it
 * came in, whatever the caller gave.
 */
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/hooks/wait.h"
#include "preload/process/threads.h"

#include <stdio.h>

/* The program asks for its threads. What the kernel has opened can be read. */
static inline FILE *opened(FILE *stream, const char *path)
{
	if (stream != NULL && path[0] == '/' && path[1] == 'p' && threads_are_told(path))
		threads_leave_out_own(fileno(stream));
	return stream;
}

/* Not inlined, so that the usual way is a jump without a frame. */
/* clang-format off */
#define WAITS(type, name, params, args, descriptor_, told)                                         \
	static __attribute__((noinline)) type wait_##name params                                   \
	{                                                                                          \
		if (!wait_wanted())                                                                \
			return told(real.name args);                                               \
		uint64_t begin = clock_ticks();                                                    \
		type result = real.name args;                                                      \
		uint64_t took = clock_ticks() - begin;                                             \
		wait_looked(INPUT_OPEN, took);                                                     \
		if (took >= WAIT_LEAST_TICKS)                                                      \
			wait_over(&(struct wait){.begin = begin, .call = HOOK_##name,              \
				.what = INPUT_OPEN, .descriptor = descriptor_,                     \
				.result = descriptor_, .caller = __builtin_return_address(0)});    \
		return told(result);                                                               \
	}                                                                                          \
	HOOK_EXPORT type hook_##name params __asm__(#name);
#define AS_IT_IS(result) (result)
#define OPENED(stream)   opened(stream, path)
#define OPENS(name, params, args)                                                                  \
	WAITS(int, name, params, args, result, AS_IT_IS)                                           \
	int hook_##name params                                                                     \
	{                                                                                          \
		bool none = __builtin_expect(collector_thread.ring == NULL, 1);                    \
		return (none ? real.name : wait_##name) args;                                      \
	}
#define OPENS_FILE(name)                                                                           \
	OPENS(name, (const char *path, int flags, mode_t mode), (path, flags, mode))
#define OPENS_AT(name)                                                                             \
	OPENS(name, (int folder, const char *path, int flags, mode_t mode),                        \
		(folder, path, flags, mode))
#define OPENS_STREAM(name)                                                                         \
	WAITS(FILE *, name, (const char *path, const char *mode), (path, mode),                    \
		result != NULL ? fileno(result) : -1, OPENED)                                      \
	FILE *hook_##name(const char *path, const char *mode)                                      \
	{                                                                                          \
		if (collector_thread.ring == NULL)                                                 \
			return opened(real.name(path, mode), path);                                \
		return wait_##name(path, mode);                                                    \
	}

OPENS_FILE(open)
OPENS_FILE(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)
/* clang-format on */
