/* SPDX-License-Identifier: MIT */
#include "preload/thread/peek.h"

#include "collector/own/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define USER_END (1ul << 47)

/* Bare system calls: pread is a hooked function. */
static bool read_by_file(const void *address, void *ret_bytes, size_t size)
{
	int file = descriptor_open("/proc/self/mem", O_RDONLY, 0);
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

static unsigned pieces_by_file(const struct peek_piece *pieces, unsigned count, char *ret_bytes)
{
	unsigned done = 0;
	for (; done < count; done++) {
		if (!read_by_file(pieces[done].from, ret_bytes, pieces[done].size))
			break;
		ret_bytes += pieces[done].size;
	}
	return done;
}

/* An address that no program can have is refused before anything is copied: leave it out. */
static bool is_possible(const struct peek_piece *piece)
{
	return (uintptr_t)piece->from < USER_END && piece->size < USER_END;
}

unsigned peek_pieces(const struct peek_piece *pieces, unsigned count, void *ret_bytes)
{
	int saved = errno;
	struct iovec from[PEEK_PIECES_LIMIT];
	size_t total = 0;
	unsigned possible = 0, done = 0;
	for (; possible < count && possible < PEEK_PIECES_LIMIT; possible++) {
		const struct peek_piece *piece = &pieces[possible];
		if (!is_possible(piece))
			break;
		from[possible] = (struct iovec){(void *)(uintptr_t)piece->from, piece->size};
		total += piece->size;
	}
	/*
	 * Written to ourselves in place of read: then the pieces are the near side, which the
	 * kernel copies as any argument, and only the buffer's pages are looked up.
	 */
	struct iovec to = {ret_bytes, total};
	long got = syscall(
		SYS_process_vm_writev, syscall(SYS_getpid), from, (long)possible, &to, 1ul, 0ul);
	if (got < 0 && errno != EFAULT)
		done = pieces_by_file(pieces, possible, ret_bytes);
	for (size_t left = got < 0 ? 0 : (size_t)got; done < possible && left >= pieces[done].size;)
		left -= pieces[done++].size;
	errno = saved;
	return done;
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
