/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/buffer/live.h"
#include "collector/codec/codec.h"
#include "test/unit/analyzer/trace_file.h"

static struct live live;
static char folder[64], name[96], path[128];

static void set_up(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-live-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(name, sizeof(name), "%s/host-1", folder);
	(void)snprintf(path, sizeof(path), "%s.live", name);
}

static void tear_down(void)
{
	live_remove(&live);
	(void)unlink(path);
	(void)rmdir(folder);
}

TestSuite(live, .init = set_up, .fini = tear_down, .timeout = 30);

Test(live, what_is_written_to_a_piece_is_in_the_file)
{
	uint64_t offset;
	size_t size = 0;
	cr_assert(eq(int, live_open(&live, name, LIVE_BESIDE), 0));
	char *piece = live_piece(&live, 5000, &offset);
	cr_assert(ne(u64, offset, 0));
	cr_assert(eq(u64, offset % 4096, 0));
	memcpy(piece + 4990, "the end", 8);
	memcpy(live.pending, "pending", 8);
	char *bytes = trace_file_load(path, &size);
	const struct live_header *header = (const void *)bytes;
	cr_assert(eq(u64, header->magic, LIVE_MAGIC));
	cr_assert(eq(u32, header->pid, (uint32_t)getpid()));
	cr_assert(eq(u64, header->pending_capacity, CODEC_FRAME_LIMIT));
	cr_assert(eq(int, memcmp(bytes + offset + 4990, "the end", 8), 0));
	cr_assert(eq(int, memcmp(bytes + header->pending_offset, "pending", 8), 0));
	cr_assert(eq(int, strcmp(live_memory(&live), "file"), 0));
	free(bytes);
}

Test(live, is_removed_but_its_memory_stays)
{
	uint64_t offset;
	cr_assert(eq(int, live_open(&live, name, LIVE_BESIDE), 0));
	char *piece = live_piece(&live, 4096, &offset);
	live_remove(&live);
	cr_assert(ne(int, access(path, F_OK), 0));
	piece[100] = 1;
	live.header->pid = 5;
	live_remove(&live); /* twice is fine */
	/* What is asked for later is private. */
	cr_assert(ne(ptr, live_piece(&live, 4096, &offset), NULL));
	cr_assert(eq(u64, offset, 0));
}

Test(live, in_shm_is_found_through_the_pointer_file)
{
	size_t size = 0;
	cr_assert(eq(int, live_open(&live, name, LIVE_SHM), 0));
	cr_assert(eq(int, strcmp(live_memory(&live), "shm"), 0));
	char *line = trace_file_load(path, &size);
	size_t tag = strlen(LIVE_POINTER_TAG);
	cr_assert(eq(int, strncmp(line, LIVE_POINTER_TAG, tag), 0));
	cr_assert(eq(chr, line[size - 1], '\n'));
	line[size - 1] = '\0';
	cr_assert(eq(int, strcmp(line + tag, live.path), 0));
	cr_assert(eq(int, strncmp(live.path, "/dev/shm/", 9), 0));
	cr_assert(eq(int, access(live.path, R_OK | W_OK), 0));
	live_remove(&live);
	cr_assert(ne(int, access(line + tag, F_OK), 0));
	cr_assert(ne(int, access(path, F_OK), 0));
	free(line);
}

Test(live, lies_in_memory_where_there_is_room)
{
	struct statfs status;
	cr_assert(eq(int, statfs("/dev/shm", &status), 0));
	bool room = status.f_type == 0x01021994 &&
		    (uint64_t)status.f_bavail * (uint64_t)status.f_bsize >= 512u << 20;
	cr_assert(eq(int, live_open(&live, name, LIVE_AUTO), 0));
	cr_assert(eq(int, strcmp(live_memory(&live), room ? "shm" : "file"), 0));
}

static bool can_be_taken(const char *file)
{
	int fd = open(file, O_RDONLY);
	bool can = flock(fd, LOCK_EX | LOCK_NB) == 0;
	(void)close(fd);
	return can;
}

Test(live, in_shm_is_locked_as_long_as_its_process_lives)
{
	static char left[PATH_MAX];
	int pipes[2];
	cr_assert(eq(int, pipe(pipes), 0));
	pid_t child = fork();
	if (child == 0) {
		(void)live_open(&live, name, LIVE_SHM);
		(void)write(pipes[1], live.path, sizeof(live.path));
		pause();
	}
	cr_assert(eq(int, (int)read(pipes[0], left, sizeof(left)), (int)sizeof(left)));
	cr_assert(not(can_be_taken(left)), "though its process keeps no descriptor");
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	cr_assert(can_be_taken(left));
	(void)unlink(left);
}

Test(live, without_a_folder_is_private_memory)
{
	uint64_t offset;
	cr_assert(eq(int, live_open(&live, "/nonexistent/x", LIVE_BESIDE), 0));
	cr_assert(eq(int, strcmp(live_memory(&live), "private"), 0));
	cr_assert(ne(ptr, live_piece(&live, 100, &offset), NULL));
	cr_assert(eq(u64, offset, 0));
}

Test(live, beyond_the_file_size_limit_is_private_memory_and_no_signal)
{
	struct rlimit limit = {1 << 20, 1 << 20};
	uint64_t offset;
	cr_assert(eq(int, live_open(&live, name, LIVE_BESIDE), 0));
	signal(SIGXFSZ, SIG_DFL);
	cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
	char *piece = live_piece(&live, 1 << 20, &offset);
	cr_assert(eq(u64, offset, 0));
	memset(piece, 1, 1 << 20);
	cr_assert(eq(int, strcmp(live_memory(&live), "private"), 0), "the weakest of all pieces");
}

Test(live, is_not_grown_through_another_file_of_its_name)
{
	uint64_t offset;
	cr_assert(eq(int, live_open(&live, name, LIVE_BESIDE), 0));
	char other[160];
	(void)snprintf(other, sizeof(other), "%s.old", path);
	cr_assert(eq(int, rename(path, other), 0));
	FILE *stream = fopen(path, "w");
	fclose(stream);
	cr_assert(ne(ptr, live_piece(&live, 4096, &offset), NULL));
	cr_assert(eq(u64, offset, 0));
	size_t size = 0;
	free(trace_file_load(path, &size));
	cr_assert(eq(sz, size, 0));
	(void)unlink(other);
}

Test(live, knows_network_file_systems)
{
	cr_assert(live_is_remote(0x6969));
	cr_assert(live_is_remote((long)0xff534d42));
	cr_assert(live_is_remote((int)0xff534d42), "the type is signed on some systems");
	cr_assert(live_is_remote(0x0bd00bd0));
	cr_assert(not(live_is_remote(0xef53)), "ext4");
	cr_assert(not(live_is_remote(0x01021994)), "tmpfs");
	cr_assert(not(live_is_remote(0x58465342)), "xfs");
}
