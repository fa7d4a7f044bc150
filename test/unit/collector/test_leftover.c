/* SPDX-License-Identifier: MIT */
/* What is removed of what killed processes have left, and what never. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/buffer/leftover.h"

#define EACH (64u << 10)

static char folder[64];

static void set_up(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-left-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
}

static const char *path_of(const char *name)
{
	static char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void tear_down(void)
{
	DIR *stream = opendir(folder);
	for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
		(void)unlink(path_of(entry->d_name));
	(void)closedir(stream);
	(void)rmdir(folder);
}

TestSuite(leftover, .init = set_up, .fini = tear_down, .timeout = 30);

static const char *make(const char *pattern)
{
	static char name[128];
	static char bytes[EACH];
	(void)snprintf(name, sizeof(name), pattern, (unsigned)getuid());
	int fd = open(path_of(name), O_WRONLY | O_CREAT, 0600);
	memset(bytes, 1, sizeof(bytes));
	cr_assert(eq(sz, (size_t)write(fd, bytes, sizeof(bytes)), sizeof(bytes)));
	(void)fsync(fd);
	(void)close(fd);
	return name;
}

static bool is_there(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

Test(leftover, of_a_dead_process_is_kept_for_its_time)
{
	const char *name = make("libtrace-%u-host-1-5-9.live");
	cr_assert(eq(u32, leftover_remove(folder, 100, 1 << 30), 0));
	cr_assert(is_there(name));
	usleep(20000);
	cr_assert(eq(u32, leftover_remove(folder, 0, 1 << 30), 1));
	cr_assert(not(is_there(name)));
}

Test(leftover, counts_its_time_from_when_it_was_found)
{
	const char *name = make("libtrace-%u-host-1-5-9.live");
	sleep(1);
	cr_assert(eq(u32, leftover_remove(folder, 1, 1 << 30), 0), "just found");
	cr_assert(is_there(name));
}

Test(leftover, of_a_living_process_is_never_touched)
{
	const char *name = make("libtrace-%u-host-1-5-9.live");
	int fd = open(path_of(name), O_RDONLY);
	struct stat status;
	cr_assert(eq(int, flock(fd, LOCK_SH), 0));
	cr_assert(eq(u32, leftover_remove(folder, -10, 0), 0));
	cr_assert(eq(int, fstat(fd, &status), 0));
	cr_assert(eq(u32, status.st_mode & 0777, 0600));
	(void)close(fd);
	cr_assert(eq(u32, leftover_remove(folder, -10, 0), 1));
}

Test(leftover, of_others_is_not_ours)
{
	char others[64], kept[128];
	(void)snprintf(others, sizeof(others), "libtrace-%u-host-1-5-9.live", getuid() + 1);
	(void)make(others);
	(void)snprintf(kept, sizeof(kept), "%s", make("torch_%u_1.live"));
	cr_assert(eq(int, symlink(path_of(kept), "/tmp/libtrace-left-link"), 0));
	char link[128];
	(void)snprintf(link, sizeof(link), "libtrace-%u-link.live", (unsigned)getuid());
	cr_assert(eq(int, rename("/tmp/libtrace-left-link", path_of(link)), 0));
	cr_assert(eq(u32, leftover_remove(folder, -10, 0), 0));
	cr_assert(is_there(others));
	cr_assert(is_there(kept));
}

Test(leftover, beyond_the_limit_the_oldest_goes)
{
	char old[128], recent[128];
	(void)snprintf(old, sizeof(old), "%s", make("libtrace-%u-host-1-5-9.live"));
	cr_assert(eq(u32, leftover_remove(folder, 100, 1 << 30), 0));
	usleep(50000);
	(void)snprintf(recent, sizeof(recent), "%s", make("libtrace-%u-host-2-5-9.live"));
	cr_assert(eq(u32, leftover_remove(folder, 100, EACH + EACH / 2), 1));
	cr_assert(not(is_there(old)));
	cr_assert(is_there(recent));
}

Test(leftover, the_newest_is_kept_however_large_it_is)
{
	const char *name = make("libtrace-%u-host-1-5-9.live");
	cr_assert(eq(u32, leftover_remove(folder, 100, EACH / 2), 0));
	cr_assert(is_there(name));
}

Test(leftover, without_a_folder_is_nothing)
{
	cr_assert(eq(u32, leftover_remove("/nonexistent", 0, 0), 0));
}
