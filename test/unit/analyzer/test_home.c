/* SPDX-License-Identifier: MIT */
/* What a killed process had in /dev/shm comes into the folder of its run, and nothing else does. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/run/home.h"
#include "collector/buffer/live.h"

static char folder[64], name[96], path[128], left[PATH_MAX];
static int pipes[2];
static pid_t child;

/* A process that records and is killed. */
static void begin(void)
{
	static struct live live;
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-home-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(name, sizeof(name), "%s/host-1", folder);
	(void)snprintf(path, sizeof(path), "%s.live", name);
	cr_assert(eq(int, pipe(pipes), 0));
	child = fork();
	if (child == 0) {
		(void)live_open(&live, name, LIVE_SHM);
		memcpy(live.pending, "pending", 8);
		(void)write(pipes[1], live.path, sizeof(live.path));
		pause();
	}
	cr_assert(eq(int, (int)read(pipes[0], left, sizeof(left)), (int)sizeof(left)));
}

static void end(void)
{
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

static void tear_down(void)
{
	(void)unlink(left);
	(void)unlink(path);
	(void)rmdir(folder);
}

TestSuite(home, .init = begin, .fini = tear_down, .timeout = 30);

static off_t size_of(const char *file)
{
	struct stat status;
	return stat(file, &status) == 0 ? status.st_size : -1;
}

Test(home, takes_what_a_killed_process_left)
{
	char bytes[8];
	struct live_header header;
	off_t size = size_of(left);
	end();
	cr_assert(eq(int, chmod(path, 0640), 0));
	cr_assert(home_bring(path));
	cr_assert(eq(long, size_of(path), size));
	cr_assert(ne(int, access(left, F_OK), 0));
	int fd = open(path, O_RDONLY);
	struct stat status;
	cr_assert(eq(int, fstat(fd, &status), 0));
	cr_assert(eq(u32, status.st_mode & 0777, 0640));
	cr_assert(eq(int, (int)pread(fd, &header, sizeof(header), 0), (int)sizeof(header)));
	cr_assert(eq(u32, header.pid, (uint32_t)child));
	cr_assert(eq(int, (int)pread(fd, bytes, 8, (off_t)header.pending_offset), 8));
	cr_assert(eq(int, strcmp(bytes, "pending"), 0));
	(void)close(fd);
	cr_assert(not(home_bring(path)), "it is there");
}

Test(home, leaves_a_living_process_alone)
{
	cr_assert(not(home_bring(path)));
	cr_assert(eq(int, access(left, F_OK), 0));
	end();
}

Test(home, a_copy_of_the_folder_takes_nothing_away)
{
	char copied[160], line[PATH_MAX + 32];
	end();
	(void)snprintf(copied, sizeof(copied), "%s/host-2.live", folder);
	int from = open(path, O_RDONLY), to = open(copied, O_WRONLY | O_CREAT, 0600);
	ssize_t size = read(from, line, sizeof(line));
	cr_assert(eq(long, write(to, line, (size_t)size), size));
	(void)close(from);
	(void)close(to);
	cr_assert(not(home_bring(copied)));
	cr_assert(eq(int, access(left, F_OK), 0));
	cr_assert(eq(long, size_of(copied), size));
	(void)unlink(copied);
	cr_assert(home_bring(path), "the original still does");
}

static bool brings(const char *line)
{
	FILE *stream = fopen(path, "w");
	(void)fputs(line, stream);
	(void)fclose(stream);
	return home_bring(path);
}

Test(home, follows_no_pointer_elsewhere)
{
	char line[PATH_MAX + 64], other[128];
	struct stat status;
	end();
	cr_assert(eq(int, stat(path, &status), 0));
	(void)snprintf(other, sizeof(other), "%s/mine-%llx.live", folder,
		(unsigned long long)status.st_ino);
	cr_assert(eq(int, link(left, other) == 0 || symlink(left, other) == 0, 1));
	(void)snprintf(line, sizeof(line), "LTRPATH1 %s\n", other);
	cr_assert(not(brings(line)));
	(void)snprintf(line, sizeof(line), "LTRPATH1 /dev/shm/libtrace-%u-/../x-%llx.live\n",
		(unsigned)getuid(), (unsigned long long)status.st_ino);
	cr_assert(not(brings(line)));
	cr_assert(not(brings("LTRPATH1 \n")));
	cr_assert(not(brings("LTRPATH1 ")));
	cr_assert(not(brings("")));
	cr_assert(eq(int, access(left, F_OK), 0));
	(void)unlink(other);
}
