/* SPDX-License-Identifier: MIT */
#include "analyzer/run/home.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/live.h"
#include "collector/format/suffix.h"

#define PIECE (64u << 10)

static bool is_own_file(int fd, struct stat *ret_status)
{
	return fstat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode) &&
	       ret_status->st_uid == geteuid();
}

/* Where the pointer file leads, if it is our own and no copy. False: nowhere that we may go. */
static bool read_pointer(const char *path, char *ret_target, size_t size, mode_t *ret_mode)
{
	struct stat status;
	char line[sizeof(LIVE_POINTER_TAG) + PATH_MAX], prefix[64], suffix[64];
	const size_t tag = strlen(LIVE_POINTER_TAG);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool own = is_own_file(fd, &status);
	ssize_t got = own ? pread(fd, line, sizeof(line) - 1, 0) : -1;
	(void)close(fd);
	if (got <= (ssize_t)tag || memcmp(line, LIVE_POINTER_TAG, tag) != 0)
		return false;
	line[got] = '\0';
	line[strcspn(line, "\n")] = '\0';
	int begins = snprintf(prefix, sizeof(prefix), LIVE_SHM_FOLDER "/" LIVE_SHM_PREFIX "%u-",
		(unsigned)geteuid());
	int ends = snprintf(
		suffix, sizeof(suffix), "-%llx" SUFFIX_LIVE, (unsigned long long)status.st_ino);
	const char *target = line + tag;
	size_t length = strlen(target);
	if (length >= size || length < (size_t)(begins + ends) ||
		strncmp(target, prefix, (size_t)begins) != 0 ||
		strcmp(target + length - (size_t)ends, suffix) != 0 ||
		strchr(target + strlen(LIVE_SHM_FOLDER "/"), '/') != NULL)
		return false;
	memcpy(ret_target, target, length + 1);
	*ret_mode = status.st_mode & 0666;
	return true;
}

/* A live file of ours that nobody alive writes: locked as long as it is open. -1: it is not. */
static int open_dead(const char *target)
{
	struct stat status;
	uint64_t magic;
	int fd = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (is_own_file(fd, &status) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == LIVE_MAGIC)
		return fd;
	(void)close(fd);
	return -1;
}

static bool is_zero(const char *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* All of it, with holes where nothing is. */
static bool copy(int from, int to)
{
	static char piece[PIECE];
	off_t at = 0;
	for (ssize_t got; (got = pread(from, piece, sizeof(piece), at)) != 0; at += got)
		if (got < 0 ||
			(!is_zero(piece, (size_t)got) && pwrite(to, piece, (size_t)got, at) != got))
			return false;
	return ftruncate(to, at) == 0;
}

bool home_bring(const char *path)
{
	char target[PATH_MAX], part[PATH_MAX];
	mode_t mode;
	if (!read_pointer(path, target, sizeof(target), &mode) ||
		(size_t)snprintf(part, sizeof(part), "%s.XXXXXX", path) >= sizeof(part))
		return false;
	int from = open_dead(target);
	int to = from < 0 ? -1 : mkostemp(part, O_CLOEXEC);
	bool done = to >= 0 && copy(from, to) && fchmod(to, mode) == 0;
	if (to >= 0)
		done = close(to) == 0 && done && rename(part, path) == 0;
	if (done)
		(void)unlink(target);
	else if (to >= 0)
		(void)unlink(part);
	if (from >= 0)
		(void)close(from);
	return done;
}
