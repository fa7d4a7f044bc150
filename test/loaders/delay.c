/* SPDX-License-Identifier: MIT */
/* Storage that is slow: each read of a file below FOLDER takes DELAY_US longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_slow(int fd)
{
	char link[64], path[PATH_MAX];
	const char *folder = getenv("FOLDER");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	long length = syscall(SYS_readlink, link, path, sizeof(path) - 1);
	if (folder == NULL || length <= 0)
		return 0;
	path[length] = '\0';
	return strncmp(path, folder, strlen(folder)) == 0;
}

static void wait_for(int fd)
{
	if (!is_slow(fd))
		return;
	long us = strtol(getenv("DELAY_US"), NULL, 10);
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	syscall(SYS_nanosleep, &time, NULL);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	if (real == NULL)
		real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	wait_for(fd);
	return real(fd, buffer, size);
}

size_t fread(void *buffer, size_t size, size_t count, FILE *stream)
{
	static size_t (*real)(void *, size_t, size_t, FILE *);
	if (real == NULL)
		real = (size_t(*)(void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fread");
	wait_for(fileno(stream));
	return real(buffer, size, count, stream);
}
