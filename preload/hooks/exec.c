/* SPDX-License-Identifier: MIT */
/*
 * execl and its kin: arguments cannot be forwarded through an ellipsis, and libc's own go
 * straight to the system call, past the interposed execv. So they are written here on top of
 * the forms with arrays, as libc writes them: no heap, because this may be a vfork child.
 */
#include "preload/calls/calls.h"
#include "preload/cuda/real.h"
#include "preload/process/ending.h"

#include <alloca.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

HOOK_EXPORT int execl(const char *path, const char *argument, ...);
HOOK_EXPORT int execlp(const char *file, const char *argument, ...);
HOOK_EXPORT int execle(const char *path, const char *argument, ...);

/* Arguments up to and with the NULL, counted; -1 when there are too many. */
static int count_arguments(const char *first, va_list list)
{
	int count = 1;
	if (first != NULL)
		for (count = 2; va_arg(list, const char *) != NULL; count++)
			if (count == INT_MAX / 16)
				return -1;
	return count;
}

static void take_arguments(const char *first, va_list list, int count, char **ret_arguments)
{
	ret_arguments[0] = (char *)(uintptr_t)first;
	for (int i = 1; i < count; i++)
		ret_arguments[i] = va_arg(list, char *);
}

/* The list as an array on the caller's stack, then the call between end and resumption. */
#define EXEC_LIST(call)                                                                            \
	va_list list;                                                                              \
	va_start(list, argument);                                                                  \
	int count = count_arguments(argument, list);                                               \
	va_end(list);                                                                              \
	if (count < 0) {                                                                           \
		errno = E2BIG;                                                                     \
		return -1;                                                                         \
	}                                                                                          \
	char **arguments = alloca((size_t)count * sizeof(*arguments));                             \
	va_start(list, argument);                                                                  \
	take_arguments(argument, list, count, arguments);                                          \
	bool finished = ending_begin("exec");                                                      \
	int result = call;                                                                         \
	va_end(list);                                                                              \
	if (finished)                                                                              \
		ending_undo();                                                                     \
	return result;

int execl(const char *path, const char *argument, ...)
{
	EXEC_LIST(real.execv(path, arguments))
}

int execlp(const char *file, const char *argument, ...)
{
	EXEC_LIST(real.execvp(file, arguments))
}

int execle(const char *path, const char *argument, ...)
{
	EXEC_LIST(real.execve(path, arguments, va_arg(list, char *const *)))
}
