/* SPDX-License-Identifier: MIT */
#include "collector/own/descriptor.h"

#include "collector/own/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Who has the lock for longer than that was interrupted by a handler that runs on top of it. */
#define LOCK_TRIES 10000

/* What holds a number is opened with these, and hardly anything else is. */
#define HOLDING (O_PATH | O_DIRECTORY | O_NOFOLLOW)

enum number {
	NUMBER_FREE, /* or the program's */
	NUMBER_HELD,
	NUMBER_CLOSING /* nobody can tell whether it is closed already */
};

/*
 * The numbers that are held until the last one who asked for it lets go. The lock is for programs
 * that have closed some of them: in others there is nothing to hold, and users are counted.
 */
static struct {
	pid_t lock; /* the process that has it; 0: free */
	pid_t process;
	int users;
	int numbers[DESCRIPTOR_LOWEST]; /* enum number */
} held;

static int open_bare(const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

void descriptor_close(int fd)
{
	int saved = errno;
	(void)syscall(SYS_close, fd);
	errno = saved;
}

/* By the kernel alone: nothing of libc may be called yet, or a sanitizer stands in for it. */
static pid_t own_process(void)
{
	return (pid_t)syscall(SYS_getpid);
}

/* What a forked child has inherited is nobody's. */
static bool take_lock(pid_t process)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		pid_t owner = __atomic_load_n(&held.lock, __ATOMIC_RELAXED);
		if (owner != process && __atomic_compare_exchange_n(&held.lock, &owner, process,
						false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
		(void)syscall(SYS_sched_yield);
	}
	return false;
}

static void leave_lock(void)
{
	__atomic_store_n(&held.lock, 0, __ATOMIC_SEQ_CST);
}

static bool is_held(void)
{
	bool any = false;
	for (int i = 0; i < DESCRIPTOR_LOWEST; i++)
		any |= __atomic_load_n(&held.numbers[i], __ATOMIC_SEQ_CST) != NUMBER_FREE;
	return any;
}

static bool change(int number, int from, int to)
{
	return __atomic_compare_exchange_n(
		&held.numbers[number], &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void let_go(void)
{
	for (int i = 0; i < DESCRIPTOR_LOWEST; i++) {
		if (!change(i, NUMBER_HELD, NUMBER_CLOSING))
			continue;
		descriptor_close(i);
		/* unless somebody holds it again by now */
		(void)change(i, NUMBER_CLOSING, NUMBER_FREE);
	}
}

/* Hold the lowest that is free; false: it is none of them. */
static bool fill(void)
{
	int fd = open_bare("/", HOLDING, 0);
	if (fd >= 0 && fd < DESCRIPTOR_LOWEST)
		__atomic_store_n(&held.numbers[fd], NUMBER_HELD, __ATOMIC_SEQ_CST);
	else if (fd >= 0)
		descriptor_close(fd);
	return fd >= 0 && fd < DESCRIPTOR_LOWEST;
}

/*
 * A child has descriptors and memory of two moments: what is marked as held may be the program's by
 * now, and what is marked as free may be held.
 */
static void let_go_of_inherited(void)
{
	for (int i = 0; i < DESCRIPTOR_LOWEST; i++) {
		long flags = syscall(SYS_fcntl, i, F_GETFL, 0);
		if (flags >= 0 && (flags & HOLDING) == HOLDING)
			descriptor_close(i);
		__atomic_store_n(&held.numbers[i], NUMBER_FREE, __ATOMIC_SEQ_CST);
	}
}

static void begin_process(pid_t process)
{
	if (!take_lock(process))
		return;
	pid_t before = __atomic_load_n(&held.process, __ATOMIC_SEQ_CST);
	if (before != process) {
		if (before != 0)
			let_go_of_inherited();
		__atomic_store_n(&held.users, 0, __ATOMIC_SEQ_CST);
		__atomic_store_n(&held.process, process, __ATOMIC_SEQ_CST);
	}
	leave_lock();
}

void descriptor_forget(void)
{
	int saved = errno;
	if (__atomic_load_n(&held.process, __ATOMIC_SEQ_CST) != 0 && !sandbox_refuses())
		begin_process(own_process());
	errno = saved;
}

void descriptor_hold(void)
{
	if (sandbox_refuses())
		return;
	pid_t process = own_process();
	if (__atomic_load_n(&held.process, __ATOMIC_SEQ_CST) != process)
		begin_process(process);
	(void)__atomic_add_fetch(&held.users, 1, __ATOMIC_SEQ_CST);
	/* Asked first: those that fill() finds taken may be let go of right after it. */
	bool any = is_held();
	if (!fill() && !any)
		return;
	/* the last one who let go may be about to close them */
	bool locked = take_lock(process);
	while (fill())
		;
	if (locked)
		leave_lock();
}

void descriptor_release(void)
{
	if (sandbox_refuses() || __atomic_sub_fetch(&held.users, 1, __ATOMIC_SEQ_CST) > 0 ||
		!is_held())
		return;
	if (!take_lock(own_process()))
		return;
	if (__atomic_load_n(&held.users, __ATOMIC_SEQ_CST) <= 0)
		let_go();
	leave_lock();
}

static int above_lowest(int fd)
{
	int higher = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
	descriptor_close(fd);
	return higher;
}

int descriptor_open(const char *path, int flags, mode_t mode)
{
	descriptor_hold();
	int fd = open_bare(path, flags, mode);
	descriptor_release();
	if (fd < 0 || fd >= DESCRIPTOR_LOWEST)
		return fd;
	/* The program has closed one of them in between. */
	return above_lowest(fd);
}

int descriptor_open_alone(const char *path)
{
	int fd = open_bare(path, O_RDONLY, 0);
	return fd < 0 || fd >= DESCRIPTOR_LOWEST ? fd : above_lowest(fd);
}

int descriptor_stat(int fd, struct stat *ret_status)
{
	/* as libc calls it: what filters permit programs */
	return (int)syscall(SYS_newfstatat, fd, "", ret_status, AT_EMPTY_PATH);
}

ssize_t descriptor_read(int fd, void *ret_bytes, size_t size)
{
	ssize_t got = -1;
	for (unsigned i = 0; i < DESCRIPTOR_TRIES; i++) {
		got = (ssize_t)syscall(SYS_read, fd, ret_bytes, size);
		if (got >= 0 || errno != EINTR)
			break;
	}
	return got;
}

/* ThreadSanitizer would see the number used here, and never that it is closed. */
void *descriptor_map(int fd, size_t bytes, off_t offset)
{
	long memory =
		syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	return memory == -1 ? NULL : (void *)memory;
}
