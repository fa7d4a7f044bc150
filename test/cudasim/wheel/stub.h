/* SPDX-License-Identifier: MIT */
/*
 * Bodies of generated stubs: functions of vendor libraries that nothing stands in for.
 *
 * A stub changes nothing and answers with its library's "not supported", never with a silent
 * success; functions that return a text answer with one. The first use of each is one line in
 * the file that CUDASIM_STUBLOG names ("-": standard error), written with one system call, so
 * that any thread of any process may come here. The generator defines LIBRARY and REFUSED.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stub_used(const char *function)
{
	const char *path = getenv("CUDASIM_STUBLOG");
	int saved = errno, file, length;
	char line[256];

	if (path && *path) {
		int told = !strcmp(path, "-");
		length = snprintf(line, sizeof(line),
			told ? "simulated GPU: %s: %s is not there: it answers 'not supported'\n"
			     : "%s %s\n",
			LIBRARY, function);
		if (told)
			file = dup(2);
		else
			file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
		if (file >= 0) {
			if (length > 0 && write(file, line, (size_t)length) < 0)
				length = 0; /* a log that cannot be written harms nobody */
			close(file);
		}
	}
	errno = saved;
}

#define STUB_EXPORT __attribute__((visibility("default")))
#define STUB_FIRST(name)                                                                           \
	static char used;                                                                          \
	if (!__atomic_exchange_n(&used, 1, __ATOMIC_RELAXED))                                      \
		stub_used(#name);
#define STUB(name)                                                                                 \
	STUB_EXPORT long name(void);                                                               \
	long name(void)                                                                            \
	{                                                                                          \
		STUB_FIRST(name)                                                                   \
		return REFUSED;                                                                    \
	}
#define STUB_TEXT(name)                                                                            \
	STUB_EXPORT const char *name(void);                                                        \
	const char *name(void)                                                                     \
	{                                                                                          \
		STUB_FIRST(name)                                                                   \
		return "not supported by the simulated device";                                    \
	}
#define STUB_DATA(name, size) STUB_EXPORT char name[size] __attribute__((aligned(64)));
