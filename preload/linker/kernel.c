/* SPDX-License-Identifier: MIT */
#include "preload/linker/kernel.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CALL3(name, a, b, c) kernel_call(SYS_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(name, a, b, c, d)                                                                    \
	kernel_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

pid_t getpid(void)
{
	return (pid_t)CALL3(getpid, 0, 0, 0);
}

pid_t getppid(void)
{
	return (pid_t)CALL3(getppid, 0, 0, 0);
}

pid_t gettid(void)
{
	return (pid_t)CALL3(gettid, 0, 0, 0);
}

uid_t getuid(void)
{
	return (uid_t)CALL3(getuid, 0, 0, 0);
}

/* By the calls that libc makes: filters of system calls may permit those alone. */
#if defined(__x86_64__)
int access(const char *path, int mode)
{
	return (int)CALL3(access, path, mode, 0);
}

int chmod(const char *path, mode_t mode)
{
	return (int)CALL3(chmod, path, mode, 0);
}

int mkdir(const char *path, mode_t mode)
{
	return (int)CALL3(mkdir, path, mode, 0);
}

int rmdir(const char *path)
{
	return (int)CALL3(rmdir, path, 0, 0);
}

int unlink(const char *path)
{
	return (int)CALL3(unlink, path, 0, 0);
}

ssize_t readlink(const char *restrict path, char *restrict text, size_t size)
{
	return CALL3(readlink, path, text, size);
}
#else
int access(const char *path, int mode)
{
	return (int)CALL3(faccessat, AT_FDCWD, path, mode);
}

int chmod(const char *path, mode_t mode)
{
	return (int)CALL3(fchmodat, AT_FDCWD, path, mode);
}

int mkdir(const char *path, mode_t mode)
{
	return (int)CALL3(mkdirat, AT_FDCWD, path, mode);
}

int rmdir(const char *path)
{
	return (int)CALL3(unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int unlink(const char *path)
{
	return (int)CALL3(unlinkat, AT_FDCWD, path, 0);
}

ssize_t readlink(const char *restrict path, char *restrict text, size_t size)
{
	return CALL4(readlinkat, AT_FDCWD, path, text, size);
}
#endif

int unlinkat(int folder, const char *path, int flags)
{
	return (int)CALL3(unlinkat, folder, path, flags);
}

int fchmod(int fd, mode_t mode)
{
	return (int)CALL3(fchmod, fd, mode, 0);
}

int ftruncate(int fd, off_t size)
{
	return (int)CALL3(ftruncate, fd, size, 0);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	return (int)CALL4(fallocate, fd, mode, offset, size);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict status, int flags)
{
	return (int)CALL4(newfstatat, folder, path, status, flags);
}

int statfs(const char *path, struct statfs *status)
{
	return (int)CALL3(statfs, path, status, 0);
}

int fstatfs(int fd, struct statfs *status)
{
	return (int)CALL3(fstatfs, fd, status, 0);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)kernel_call(
		SYS_mmap, (long)address, (long)size, protection, flags, fd, offset);
}

int munmap(void *address, size_t size)
{
	return (int)CALL3(munmap, address, size, 0);
}

int mprotect(void *address, size_t size, int protection)
{
	return (int)CALL3(mprotect, address, size, protection);
}

int madvise(void *address, size_t size, int advice)
{
	return (int)CALL3(madvise, address, size, advice);
}

/* Longer than a path can be, libc would look for it by other means; "(unreachable)" is none. */
char *getcwd(char *path, size_t size)
{
	if (CALL3(getcwd, path, size, 0) < 0)
		return NULL;
	if (path[0] == '/')
		return path;
	errno = ENOENT;
	return NULL;
}

int gethostname(char *name, size_t size)
{
	struct utsname system;
	if (CALL3(uname, &system, 0, 0) < 0)
		return -1;
	size_t length = strnlen(system.nodename, sizeof(system.nodename));
	if (length >= size) {
		memcpy(name, system.nodename, size);
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, system.nodename, length);
	name[length] = '\0';
	return 0;
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	return (int)CALL4(prlimit64, 0, resource, NULL, limit);
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	return (int)CALL3(getrusage, who, usage, 0);
}

/* The kernel says how many bytes it has written, which are never more. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
	long written = CALL3(sched_getaffinity, process, size, set);
	if (written < 0)
		return -1;
	memset((char *)set + written, 0, size - (size_t)written);
	return 0;
}
