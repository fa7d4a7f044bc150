/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/own/descriptor.h"

TestSuite(descriptor);

Test(descriptor, is_never_one_of_the_lowest)
{
	char byte;
	int input = dup(STDIN_FILENO);
	(void)close(STDIN_FILENO);
	int alone = descriptor_open_alone("/proc/self/cmdline");
	int other = descriptor_open("/proc/self/cmdline", O_RDONLY, 0);
	cr_assert(ge(int, alone, DESCRIPTOR_LOWEST));
	cr_assert(ge(int, other, DESCRIPTOR_LOWEST));
	cr_assert(eq(int, descriptor_read(alone, &byte, 1), 1));
	cr_assert(ne(int, fcntl(alone, F_GETFD) & FD_CLOEXEC, 0), "not for its children");
	cr_assert(eq(int, fcntl(STDIN_FILENO, F_GETFD), -1), "free as before");
	descriptor_close(alone);
	descriptor_close(other);
	(void)dup2(input, STDIN_FILENO);
	(void)close(input);
}

/* In a child: its descriptors and memory may be of two moments of its parent. Its status. */
static int in_child(bool (*is_right)(void))
{
	int status = -1;
	pid_t child = fork();
	if (child == 0)
		_exit(is_right() ? 0 : 1);
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	return status;
}

static bool is_free(void)
{
	errno = 77;
	descriptor_forget();
	return errno == 77 && fcntl(STDIN_FILENO, F_GETFD) == -1;
}

/* Marked as held, and the program has it already. */
static bool is_left_to_the_program(void)
{
	(void)close(STDIN_FILENO);
	int own = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	descriptor_forget();
	descriptor_hold();
	descriptor_release();
	char byte;
	return own == STDIN_FILENO && read(own, &byte, 1) == 1;
}

/* Held, and marked as free. */
static bool is_let_go_of(void)
{
	int copy = dup(STDIN_FILENO);
	descriptor_release();
	bool was_free = fcntl(STDIN_FILENO, F_GETFD) == -1;
	return was_free && dup2(copy, STDIN_FILENO) == STDIN_FILENO && is_free();
}

Test(descriptor, that_is_held_while_another_thread_forks)
{
	int input = dup(STDIN_FILENO);
	(void)close(STDIN_FILENO);
	descriptor_hold();
	cr_assert(eq(int, in_child(is_free), 0));
	cr_assert(eq(int, in_child(is_left_to_the_program), 0));
	cr_assert(eq(int, in_child(is_let_go_of), 0));
	cr_assert(ne(int, fcntl(STDIN_FILENO, F_GETFD), -1), "the parent's is held as before");
	descriptor_release();
	cr_assert(eq(int, fcntl(STDIN_FILENO, F_GETFD), -1));
	(void)dup2(input, STDIN_FILENO);
	(void)close(input);
}

Test(descriptor, of_what_is_not_there)
{
	cr_assert(eq(int, descriptor_open_alone("/proc/self/no such file"), -1));
	cr_assert(eq(int, errno, ENOENT));
}

static int mapped;

static void *map_one(void *path)
{
	int fd = descriptor_open(path, O_RDWR | O_CREAT, 0600);
	(void)ftruncate(fd, 4096);
	char *memory = descriptor_map(fd, 4096, 0);
	if (memory != NULL)
		memory[100] = 7;
	descriptor_close(fd);
	__atomic_store_n(&mapped, fd + 1, __ATOMIC_RELAXED);
	return memory;
}

/* The program gets the number next, and nothing but the kernel orders the two: that is no race. */
Test(descriptor, that_was_mapped_is_nobodys_for_a_sanitizer)
{
	char path[] = "/tmp/libtrace-descriptor-XXXXXX";
	pthread_t thread;
	void *memory = NULL;
	int made = mkstemp(path), number;
	(void)close(made);
	cr_assert(eq(int, pthread_create(&thread, NULL, map_one, path), 0));
	while ((number = __atomic_load_n(&mapped, __ATOMIC_RELAXED)) == 0)
		(void)sched_yield();
	DIR *folder = opendir("/");
	cr_assert(eq(int, dirfd(folder), number - 1), "the same number");
	(void)closedir(folder);
	(void)pthread_join(thread, &memory);
	cr_assert(ne(ptr, memory, NULL));
	cr_assert(eq(chr, ((char *)memory)[100], 7));
	(void)munmap(memory, 4096);
	(void)unlink(path);
	errno = 0;
	cr_assert(eq(ptr, descriptor_map(-1, 4096, 0), NULL));
	cr_assert(eq(int, errno, EBADF));
}
