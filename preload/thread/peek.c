/* SPDX-License-Identifier: MIT */
#include "preload/thread/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Bare system calls: open and pread are hooked functions. */
static bool read_by_file(const void *address, void *ret_bytes, size_t size)
{
	long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	long got = syscall(SYS_pread64, file, ret_bytes, size, (uint64_t)(uintptr_t)address);
	(void)syscall(SYS_close, file);
	return got == (long)size;
}

bool peek(const void *address, void *ret_bytes, size_t size)
{
	int saved = errno;
	struct iovec to = {ret_bytes, size};
	struct iovec from = {(void *)(uintptr_t)address, size};
	long got = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1ul, &from, 1ul, 0ul);
	bool good = got == (long)size;
	if (got < 0 && errno != EFAULT)
		good = read_by_file(address, ret_bytes, size);
	errno = saved;
	return good;
}

bool peek_text(const char *address, char *ret_text, size_t size)
{
	size_t at = 0;
	while (at < size - 1) {
		/* To the end of an aligned word at most: a page may end behind the text. */
		size_t piece = 8 - ((uintptr_t)(address + at) & 7);
		if (piece > size - 1 - at)
			piece = size - 1 - at;
		if (!peek(address + at, ret_text + at, piece))
			return false;
		if (memchr(ret_text + at, '\0', piece) != NULL)
			return true;
		at += piece;
	}
	ret_text[at] = '\0';
	return true;
}
