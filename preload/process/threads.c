/* SPDX-License-Identifier: MIT */
#include "preload/process/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/collector.h"
#include "collector/own/descriptor.h"
#include "collector/own/tasks.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"

#define OWN_NAMES    "libtrace:" /* what names of threads begin with that were made for us */
#define AFTER_NAME   18          /* words up to the number of threads, in proc(5) */
#define STATUS_BYTES 2048

bool threads_are_told(const char *path)
{
	return strcmp(path, "/proc/self/stat") == 0;
}

/* The number behind so many words; the name in front of them may hold anything. NULL: none. */
static char *find_number(char *text)
{
	char *at = strrchr(text, ')');
	for (int i = 0; at != NULL && i < AFTER_NAME; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	return at;
}

/* The text with fewer threads, in its place; how long it is, 0: it says nothing of threads. */
static size_t take_off(char *text, unsigned own)
{
	char *end, *number = find_number(text);
	if (number == NULL)
		return 0;
	unsigned long threads = strtoul(number, &end, 10);
	if (threads <= own || end == number)
		return 0;
	char fewer[24];
	int length = snprintf(fewer, sizeof(fewer), "%lu", threads - own);
	memcpy(number, fewer, (size_t)length); /* no longer than what was there */
	memmove(number + length, end, strlen(end) + 1);
	return strlen(text);
}

/* Another file with that text is behind the descriptor. */
static void replace(int descriptor, const char *text, size_t length)
{
	int flags = (int)syscall(SYS_fcntl, descriptor, F_GETFD, 0);
	int file = (int)syscall(SYS_memfd_create, "stat", 1u /* closed by exec */);
	if (file >= DESCRIPTOR_LOWEST && flags >= 0 &&
		syscall(SYS_write, file, text, length) == (long)length &&
		syscall(SYS_lseek, file, 0l, SEEK_SET) == 0)
		(void)syscall(
			SYS_dup3, file, descriptor, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
	if (file >= 0)
		descriptor_close(file);
}

/* A forked child has none yet, and one as soon as it records: maybe before the file is read. */
static bool may_begin(void)
{
	return collector_thread.ring != NULL;
}

static void leave_out(int descriptor)
{
	char text[STATUS_BYTES];
	/* the collector's may be too young to have its name */
	unsigned own = tasks_named(OWN_NAMES) + collector_is_running();
	if (own == 0 && !may_begin())
		return;
	long got = syscall(SYS_pread64, descriptor, text, sizeof(text) - 1, 0l);
	if (got <= 0)
		return;
	text[got] = '\0';
	size_t length = take_off(text, own);
	if (length > 0)
		replace(descriptor, text, length);
}

void threads_leave_out_own(int descriptor)
{
	int saved = errno;
	if (process_is_ready() && process_is_own() && guard_enter()) {
		leave_out(descriptor);
		guard_leave();
	}
	errno = saved;
}
