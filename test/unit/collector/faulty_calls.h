/* SPDX-License-Identifier: MIT */
/*
 * System calls for the sink that fail to order: the call with number fail_at (of all
 * calls, from 1) fails with fail_code, and the fail_count - 1 after it; short_at makes a
 * write take only half. Everything else goes to the system. One user at a time.
 */
#ifndef TEST_UNIT_FAULTY_CALLS_H
#define TEST_UNIT_FAULTY_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "collector/write/sink.h"

static struct faulty {
	unsigned calls, fail_at, fail_count, short_at;
	int fail_code;
	unsigned writes;
	unsigned failed; /* calls that were made to fail */
} faulty;

static inline bool faulty_fails(void)
{
	faulty.calls++;
	if (faulty.fail_at == 0 || faulty.calls < faulty.fail_at ||
		faulty.calls >= faulty.fail_at + faulty.fail_count)
		return false;
	faulty.failed++;
	errno = faulty.fail_code;
	return true;
}

static inline int faulty_open(const char *path, int flags, mode_t mode)
{
	return faulty_fails() ? -1 : sink_system_calls.open(path, flags, mode);
}

static inline int faulty_close(int fd)
{
	/* Linux closes the descriptor even when it reports an error. */
	bool fails = faulty_fails();
	int code = sink_system_calls.close(fd);
	return fails ? -1 : code;
}

static inline int faulty_move(int fd, int lowest)
{
	return faulty_fails() ? -1 : sink_system_calls.move(fd, lowest);
}

static inline ssize_t faulty_write(int fd, const void *bytes, size_t size)
{
	faulty.writes++;
	if (faulty_fails())
		return -1;
	if (faulty.calls == faulty.short_at && size > 1)
		size /= 2;
	return sink_system_calls.write(fd, bytes, size);
}

static inline int faulty_fstat(int fd, struct stat *ret_status)
{
	return faulty_fails() ? -1 : sink_system_calls.fstat(fd, ret_status);
}

static inline int faulty_ftruncate(int fd, off_t size)
{
	return faulty_fails() ? -1 : sink_system_calls.ftruncate(fd, size);
}

static inline int faulty_fallocate(int fd, int mode, off_t offset, off_t size)
{
	return faulty_fails() ? -1 : sink_system_calls.fallocate(fd, mode, offset, size);
}

static inline int faulty_unlink(const char *path)
{
	return faulty_fails() ? -1 : sink_system_calls.unlink(path);
}

static const struct sink_calls faulty_calls = {
	.open = faulty_open,
	.close = faulty_close,
	.move = faulty_move,
	.write = faulty_write,
	.fstat = faulty_fstat,
	.ftruncate = faulty_ftruncate,
	.fallocate = faulty_fallocate,
	.unlink = faulty_unlink,
};

#endif
