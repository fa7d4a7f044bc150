/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/collector/faulty_calls.h"

#define FRAME_BYTES 1000u
#define FRAMES      12u

static char folder[64], path[128];
static struct sink sink;

static void set_up(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-sink-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(path, sizeof(path), "%s/trace", folder);
	faulty = (struct faulty){0};
}

static void tear_down(void)
{
	(void)unlink(path);
	(void)rmdir(folder);
}

TestSuite(sink, .init = set_up, .fini = tear_down, .timeout = 60);

static size_t load(char *bytes, size_t size)
{
	FILE *stream = fopen(path, "rb");
	if (stream == NULL)
		return 0;
	size_t got = fread(bytes, 1, size, stream);
	fclose(stream);
	return got;
}

static int write_frame(char letter, unsigned flags)
{
	char frame[FRAME_BYTES];
	memset(frame, letter, sizeof(frame));
	return sink_write(&sink, frame, sizeof(frame), flags);
}

/* The file holds exactly these frames, whole and in order. */
static void expect_frames(const char *letters)
{
	static char bytes[2 * FRAMES * FRAME_BYTES];
	size_t size = load(bytes, sizeof(bytes));
	cr_assert(eq(sz, size, strlen(letters) * FRAME_BYTES), "frames %s", letters);
	for (size_t i = 0; i < size; i++)
		cr_assert(eq(chr, bytes[i], letters[i / FRAME_BYTES]), "byte %zu", i);
}

Test(sink, appends_and_refuses_a_file_that_exists)
{
	struct sink second;
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	cr_assert(eq(int, write_frame('b', 0), 0));
	cr_assert(eq(u64, sink.bytes, 2 * FRAME_BYTES));
	cr_assert(eq(int, sink_open(&second, path, &sink_system_calls), -EEXIST));
	sink_close(&sink);
	expect_frames("ab");
	/* Nothing stays reserved. */
	struct stat status;
	cr_assert(eq(int, stat(path, &status), 0));
	cr_assert(le(i64, (int64_t)status.st_blocks * 512, 8192));
}

Test(sink, does_not_keep_a_low_descriptor_and_closes_on_exec)
{
	int before = dup(0);
	close(before);
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	int after = dup(0);
	cr_assert(eq(int, after, before));
	cr_assert(ge(int, sink.fd, 100));
	cr_assert(fcntl(sink.fd, F_GETFD) & FD_CLOEXEC);
	close(after);
	sink_close(&sink);
}

static const int codes[] = {ENOSPC, EIO, EINTR, EMFILE, EACCES, EDQUOT};

/* Write FRAMES frames with a failing call in it; returns the letters that went in. */
static void write_with_fault(char *ret_letters)
{
	unsigned count = 0;
	for (unsigned i = 0; i < FRAMES; i++)
		if (write_frame((char)('a' + i), i % 5 == 4 ? SINK_LAST : 0) == 0)
			ret_letters[count++] = (char)('a' + i);
	ret_letters[count] = '\0';
}

static void try_fault(unsigned fail_at, unsigned fail_count, int code)
{
	char letters[FRAMES + 2];
	faulty = (struct faulty){.fail_at = fail_at, .fail_count = fail_count, .fail_code = code};
	int opened = sink_open(&sink, path, &faulty_calls);
	if (opened < 0) {
		cr_assert(eq(int, opened, -code));
		cr_assert(ne(int, access(path, F_OK), 0), "a file was left behind");
		return;
	}
	write_with_fault(letters);
	/* Once the trouble is over the next frame goes in. */
	faulty.fail_at = 0;
	cr_assert(eq(int, write_frame('z', 0), 0));
	size_t count = strlen(letters);
	letters[count] = 'z';
	letters[count + 1] = '\0';
	sink_close(&sink);
	expect_frames(letters);
	(void)unlink(path);
}

Test(sink, holds_whole_frames_whichever_call_fails_once)
{
	unsigned tried = 0;
	for (unsigned code = 0; code < sizeof(codes) / sizeof(codes[0]); code++) {
		unsigned at = 1;
		do {
			try_fault(at, 1, codes[code]);
			tried++;
		} while (faulty.failed > 0 && ++at < 1000);
		cr_assert(gt(u32, at, FRAMES));
	}
	cr_assert(gt(u32, tried, 100));
}

Test(sink, holds_whole_frames_whichever_call_begins_to_fail_for_long)
{
	for (unsigned code = 0; code < sizeof(codes) / sizeof(codes[0]); code++)
		for (unsigned at = 4; at < 60; at++)
			try_fault(at, 25, codes[code]);
}

Test(sink, completes_a_short_write)
{
	for (unsigned at = 1; at < 60; at++) {
		char letters[FRAMES + 1];
		faulty = (struct faulty){.short_at = at};
		cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
		write_with_fault(letters);
		cr_assert(eq(sz, strlen(letters), FRAMES));
		sink_close(&sink);
		expect_frames(letters);
		(void)unlink(path);
	}
}

Test(sink, cuts_off_what_a_short_write_left_before_an_error)
{
	faulty = (struct faulty){0};
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	/* fstat, fallocate, write (half), write (fails) */
	faulty = (struct faulty){.short_at = 3, .fail_at = 4, .fail_count = 1, .fail_code = ENOSPC};
	cr_assert(eq(int, write_frame('b', 0), -ENOSPC));
	cr_assert(eq(u32, faulty.failed, 1));
	expect_frames("a");
	cr_assert(eq(int, write_frame('c', 0), 0));
	sink_close(&sink);
	expect_frames("ac");
}

Test(sink, opens_its_file_again_when_the_program_closed_it)
{
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	close(sink.fd);
	cr_assert(eq(int, write_frame('b', 0), 0));
	cr_assert(eq(u64, sink.reopened, 1));
	sink_close(&sink);
	expect_frames("ab");
}

Test(sink, never_writes_into_a_file_that_took_its_number)
{
	char other_path[160];
	struct stat status;
	(void)snprintf(other_path, sizeof(other_path), "%s.other", path);
	int other = open(other_path, O_RDWR | O_CREAT, 0600);
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	cr_assert(eq(int, dup2(other, sink.fd), sink.fd));
	int number = sink.fd;
	cr_assert(eq(int, write_frame('a', 0), 0));
	cr_assert(eq(int, fstat(number, &status), 0));
	cr_assert(eq(i64, status.st_size, 0));
	cr_assert(ne(int, sink.fd, number));
	/* Nor does it close what is not its own. */
	cr_assert(eq(int, dup2(other, sink.fd), sink.fd));
	number = sink.fd;
	sink_close(&sink);
	cr_assert(eq(int, fcntl(number, F_GETFD), 0));
	expect_frames("a");
	(void)unlink(other_path);
}

Test(sink, says_when_another_file_took_its_path)
{
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	close(sink.fd);
	(void)unlink(path);
	FILE *stream = fopen(path, "w");
	fclose(stream);
	cr_assert(eq(int, write_frame('b', 0), -ENOENT));
	expect_frames("");
}

Test(sink, takes_back_a_closing_frame)
{
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	cr_assert(eq(int, write_frame('b', SINK_LAST), 0));
	sink_close(&sink);
	cr_assert(eq(int, sink_cut(&sink, FRAME_BYTES), 0));
	cr_assert(eq(int, write_frame('c', 0), 0));
	sink_close(&sink);
	expect_frames("ac");
}

Test(sink, keeps_room_for_the_last_words_below_a_size_limit)
{
	struct rlimit limit = {
		4 * FRAME_BYTES + SINK_RESERVE_BYTES, 4 * FRAME_BYTES + SINK_RESERVE_BYTES};
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	signal(SIGXFSZ, SIG_IGN);
	cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
	for (unsigned i = 0; i < 4; i++)
		cr_assert(eq(int, write_frame('a', 0), 0));
	cr_assert(eq(int, write_frame('b', 0), -EFBIG));
	cr_assert(eq(int, write_frame('c', SINK_LAST), 0));
	sink_close(&sink);
	expect_frames("aaaac");
}

Test(sink, a_child_lets_go_without_touching_the_file)
{
	cr_assert(eq(int, sink_open(&sink, path, &sink_system_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	int fd = sink.fd;
	sink.bytes = 0; /* a cut would show */
	sink_abandon(&sink);
	cr_assert(eq(int, fcntl(fd, F_GETFD), -1));
	expect_frames("a");
}

/* As sink_is_there() says when its first call fails with the code. */
static bool is_there_despite(int code)
{
	faulty = (struct faulty){.fail_at = 1, .fail_count = 1, .fail_code = code};
	bool there = sink_is_there(&sink);
	cr_assert(eq(uint, faulty.failed, 1));
	faulty = (struct faulty){0};
	return there;
}

/* The program has given up rights: it is not said that the file is lost because we may not look. */
Test(sink, is_there_for_who_may_not_look)
{
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	cr_assert(not(is_there_despite(EACCES)), "nobody has looked yet");
	sink_close(&sink);
	cr_assert(sink_is_there(&sink));
	cr_assert(is_there_despite(EACCES));
	cr_assert(is_there_despite(EMFILE));
	cr_assert(not(is_there_despite(ENOENT)));
}

Test(sink, that_was_removed_is_not_there_for_who_may_not_look)
{
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	cr_assert(eq(int, unlink(path), 0));
	sink_close(&sink);
	cr_assert(not(sink_is_there(&sink)));
	cr_assert(not(is_there_despite(EACCES)));
}

/* In another tree of files the path tells nothing. */
Test(sink, is_there_when_the_root_has_changed)
{
	int status;
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, write_frame('a', 0), 0));
	sink_close(&sink);
	pid_t child = fork();
	if (child == 0)
		_exit(chroot(folder) != 0 ? 77 : sink_is_there(&sink));
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	if (WEXITSTATUS(status) == 77)
		cr_skip("the root cannot be changed here");
	cr_assert(eq(int, WEXITSTATUS(status), 1));
}
