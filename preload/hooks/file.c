/* SPDX-License-Identifier: MIT */
#include "preload/hooks/file.h"

#include "collector/describe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PATH_LIMIT 1024u /* longer ones are not told */

static uint64_t slowest_ns;

/* It is by a half slower than the slowest so far; that keeps the paths few. */
static bool is_slowest(uint64_t ns)
{
	uint64_t before = __atomic_load_n(&slowest_ns, __ATOMIC_RELAXED);
	return ns > before + before / 2 && __atomic_compare_exchange_n(&slowest_ns, &before, ns,
						   false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* What Python imports is no data. */
static bool is_module(const char *path, size_t length)
{
	static const char *const ends[] = {".py", ".pyc", ".so"};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t tail = strlen(ends[i]);
		if (length > tail && memcmp(path + length - tail, ends[i], tail) == 0)
			return true;
	}
	return false;
}

struct file file_of(int descriptor, uint64_t ns)
{
	struct file file = {.name = 0};
	char link[32], path[PATH_LIMIT];
	struct statfs status;
	if (ns < FILE_LEAST_NS)
		return file;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	ssize_t length = readlink(link, path, sizeof(path));
	const char *slash =
		length > 0 && path[0] == '/' ? memrchr(path, '/', (size_t)length) : NULL;
	if (slash == NULL || (size_t)length == sizeof(path) || is_module(path, (size_t)length))
		return file;
	if (!is_slowest(ns))
		length = slash + 1 - path;
	file.name = collector_name(path, (size_t)length);
	if (fstatfs(descriptor, &status) == 0)
		file.system = (uint32_t)status.f_type;
	return file;
}
