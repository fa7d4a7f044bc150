/* SPDX-License-Identifier: MIT */
#include "collector/buffer/leftover.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/format/live.h"
#include "collector/format/suffix.h"
#include "collector/own/descriptor.h"
#include "collector/own/folder.h"

#define ENTRIES_MOST 100000u
#define DEAD_MOST    256u

struct dead {
	char name[256];
	int64_t since_ns;
	uint64_t bytes;
};

static int64_t ns_of(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/*
 * The file of a process that has ended, locked against everybody; -1: it is none. Who finds it
 * first takes the owner's right to write away: its time of change is that of the finding.
 */
static int open_dead(const char *folder, const char *name, struct stat *ret_status)
{
	char path[64 + 256];
	(void)snprintf(path, sizeof(path), "%.60s/%.255s", folder, name);
	int fd = descriptor_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (descriptor_stat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode) &&
		ret_status->st_uid == getuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (!(ret_status->st_mode & S_IWUSR))
			return fd;
		if (fchmod(fd, ret_status->st_mode & 0444) == 0 &&
			descriptor_stat(fd, ret_status) == 0)
			return fd;
	}
	descriptor_close(fd);
	return -1;
}

static bool is_ours(const char *name)
{
	char prefix[32];
	int length = snprintf(prefix, sizeof(prefix), LIVE_SHM_PREFIX "%u-", (unsigned)getuid());
	size_t size = strlen(name), suffix = strlen(SUFFIX_LIVE);
	return strncmp(name, prefix, (size_t)length) == 0 && size > suffix &&
	       strcmp(name + size - suffix, SUFFIX_LIVE) == 0;
}

static unsigned find(const char *path, struct folder *folder, struct dead *ret_dead)
{
	unsigned count = 0, entries = 0;
	for (const char *name;
		(name = folder_next(folder)) != NULL && count < DEAD_MOST && entries < ENTRIES_MOST;
		entries++) {
		struct stat status;
		int fd = is_ours(name) ? open_dead(path, name, &status) : -1;
		if (fd < 0)
			continue;
		descriptor_close(fd);
		struct dead *dead = &ret_dead[count++];
		(void)snprintf(dead->name, sizeof(dead->name), "%.255s", name);
		dead->since_ns = ns_of(status.st_ctim);
		dead->bytes = (uint64_t)status.st_blocks * 512;
	}
	return count;
}

/* Those that were found dead later fill so much that there is no room for this one. */
static bool is_beyond(const struct dead *all, unsigned count, unsigned index, uint64_t bytes)
{
	uint64_t later = 0;
	for (unsigned i = 0; i < count; i++)
		if (all[i].since_ns > all[index].since_ns ||
			(all[i].since_ns == all[index].since_ns && i < index))
			later += all[i].bytes;
	return later > 0 && later + all[index].bytes > bytes;
}

static bool remove_dead(const char *path, const struct folder *folder, const struct dead *dead)
{
	struct stat status;
	int fd = open_dead(path, dead->name, &status);
	if (fd < 0)
		return false;
	bool removed =
		ns_of(status.st_ctim) == dead->since_ns && unlinkat(folder->fd, dead->name, 0) == 0;
	descriptor_close(fd);
	return removed;
}

unsigned leftover_remove(const char *path, int64_t seconds, uint64_t bytes)
{
	static struct dead all[DEAD_MOST];
	struct folder folder;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (!folder_open(&folder, path))
		return 0;
	unsigned count = find(path, &folder, all), removed = 0;
	for (unsigned i = 0; i < count; i++)
		if (ns_of(now) - all[i].since_ns > seconds * 1000000000 ||
			is_beyond(all, count, i, bytes))
			removed += remove_dead(path, &folder, &all[i]);
	folder_close(&folder);
	return removed;
}
