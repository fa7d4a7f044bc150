/* SPDX-License-Identifier: MIT */
#include "preload/python/package.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/base/hash.h"
#include "collector/own/descriptor.h"

#define FOLDERS      256u
#define LIST_BYTES   4096u
#define LISTS_LIMIT  64u /* a folder with more entries than fit is nobody's package */
#define COMMAND_SIZE 4096u

enum metadata {
	METADATA_NONE,
	METADATA_INSTALLED, /* *.dist-info: only an installer writes that */
	METADATA_IN_PLACE   /* *.egg-info: of a checkout, which may be the user's own */
};

static uint64_t
	known[FOLDERS]; /* hash of a folder, lowest bit: holds an installed package; 0: free */

/*
 * Bare system calls: open and read are cancellation points, and a program's thread must not be
 * cancelled in a call that is none.
 */
static long open_bare(const char *path, int flags)
{
	return descriptor_open(path, flags | O_RDONLY, 0);
}

struct entry { /* of getdents64 */
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);
	return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static enum metadata metadata_in(const char *folder)
{
	_Alignas(8) char list[LIST_BYTES];
	enum metadata found = METADATA_NONE;
	long fd = open_bare(folder, O_DIRECTORY);
	if (fd < 0)
		return METADATA_NONE;
	for (unsigned i = 0; i < LISTS_LIMIT && found != METADATA_INSTALLED; i++) {
		long size = syscall(SYS_getdents64, fd, list, sizeof(list));
		if (size <= 0)
			break;
		for (long at = 0; at < size;) {
			const struct entry *entry = (const void *)(list + at);
			if (ends_with(entry->name, ".dist-info"))
				found = METADATA_INSTALLED;
			else if (found == METADATA_NONE && ends_with(entry->name, ".egg-info"))
				found = METADATA_IN_PLACE;
			at += entry->size;
		}
	}
	(void)syscall(SYS_close, fd);
	return found;
}

/* One of them lies in the other, or they are the same. */
static bool is_related(const char *left, const char *right)
{
	size_t a = strlen(left), b = strlen(right), shorter = a < b ? a : b;
	const char *longer = a < b ? right : left;
	return shorter > 1 && memcmp(left, right, shorter) == 0 &&
	       (longer[shorter] == '\0' || longer[shorter] == '/');
}

/* The script's folder; empty for python -m and -c. */
static void script_folder(char *ret_folder, size_t size)
{
	char command[COMMAND_SIZE];
	long fd = open_bare("/proc/self/cmdline", 0);
	long got = fd < 0 ? -1 : syscall(SYS_read, fd, command, sizeof(command) - 1);
	if (fd >= 0)
		(void)syscall(SYS_close, fd);
	ret_folder[0] = '\0';
	for (long at = 0; at < got; at += (long)strnlen(command + at, (size_t)(got - at)) + 1) {
		command[got] = '\0';
		char *slash = strrchr(command + at, '/');
		if (at == 0 || !ends_with(command + at, ".py"))
			continue;
		if (command[at] == '/' && slash != command + at) {
			*slash = '\0';
			(void)snprintf(ret_folder, size, "%s", command + at);
		}
		return;
	}
}

/* The folder that the package of a file lies in: past all that are part of a package. */
static void leave_package(char *path)
{
	char test[PATH_MAX];
	char *slash = strrchr(path, '/');
	while (slash != NULL && slash != path) {
		*slash = '\0';
		int length = snprintf(test, sizeof(test), "%s/__init__.py", path);
		if (length < 0 || (size_t)length >= sizeof(test) || access(test, F_OK) < 0)
			return;
		slash = strrchr(path, '/');
	}
}

static bool look(char *path)
{
	char own[PATH_MAX], current[PATH_MAX];
	leave_package(path);
	enum metadata found = metadata_in(path);
	if (found == METADATA_NONE)
		return false;
	script_folder(own, sizeof(own));
	if (strcmp(own, path) == 0)
		return false;
	if (found == METADATA_INSTALLED)
		return true;
	/* "src" of a project is as much the user's as what lies beside it. */
	if (ends_with(path, "/src"))
		path[strlen(path) - 4] = '\0';
	return !is_related(own, path) &&
	       (getcwd(current, sizeof(current)) == NULL || !is_related(current, path));
}

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = length;
	for (size_t i = 0; i < length; i++)
		hash = hash_mix(hash, (uint8_t)text[i]);
	return hash;
}

bool package_is_installed(const char *file, size_t length)
{
	char path[PATH_MAX];
	const char *slash = length > 0 ? memrchr(file, '/', length) : NULL;
	if (file[0] != '/' || slash == NULL || slash == file || length >= sizeof(path))
		return false;
	uint64_t hash = hash_of(file, (size_t)(slash - file)) | 1;
	uint64_t *slot = &known[hash >> 32 & (FOLDERS - 1)];
	uint64_t seen = __atomic_load_n(slot, __ATOMIC_RELAXED);
	if ((seen | 1) == hash)
		return (seen & 1) != 0;
	int saved = errno;
	memcpy(path, file, length);
	path[length] = '\0';
	bool installed = look(path);
	errno = saved;
	__atomic_store_n(slot, installed ? hash : hash & ~1ull, __ATOMIC_RELAXED);
	return installed;
}
