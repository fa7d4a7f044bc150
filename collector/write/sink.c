/* SPDX-License-Identifier: MIT */
#include "collector/write/sink.h"

#include "collector/own/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WRITE_TRIES 1000

static int system_open(const char *path, int flags, mode_t mode)
{
	return descriptor_open(path, flags, mode);
}

static int system_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

static ssize_t system_write(int fd, const void *bytes, size_t size)
{
	return (ssize_t)syscall(SYS_write, fd, bytes, size);
}

static int system_move(int fd, int lowest)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, lowest);
}

const struct sink_calls sink_system_calls = {
	.open = system_open,
	.close = system_close,
	.move = system_move,
	.write = system_write,
	.fstat = descriptor_stat,
	.ftruncate = ftruncate,
	.fallocate = fallocate,
	.unlink = unlink,
};

/*
 * Out of the way of programs that count on getting the lowest numbers: as high as the limit
 * allows, but below 1024 for those that call select() on everything.
 */
static int move_up(const struct sink *sink, int fd)
{
	struct rlimit limit;
	int lowest = 900;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1000)
		lowest = (int)(limit.rlim_cur / 2);
	int high = sink->calls->move(fd, lowest);
	if (high < 0)
		return fd;
	(void)sink->calls->close(fd);
	return high;
}

static bool is_same_file(const struct sink *sink, int fd, struct stat *ret_status)
{
	return fd >= 0 && sink->calls->fstat(fd, ret_status) == 0 &&
	       ret_status->st_dev == sink->device && ret_status->st_ino == sink->inode;
}

/*
 * Numbers of deleted files are given out again, so the size must be ours as well: what was
 * written, and at most what a failed write left behind that could not be cut off.
 */
static bool read_ours(const struct sink *sink, int fd, struct stat *ret_status)
{
	return is_same_file(sink, fd, ret_status) && (uint64_t)ret_status->st_size >= sink->bytes &&
	       (uint64_t)ret_status->st_size <= sink->bytes + sink->remains;
}

static bool is_ours(const struct sink *sink, int fd)
{
	struct stat status;
	return read_ours(sink, fd, &status);
}

/* False: not to be told. */
static bool read_root(const struct sink *sink, struct stat *ret_status)
{
	int fd = sink->calls->open("/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	bool told = fd >= 0 && sink->calls->fstat(fd, ret_status) == 0;
	if (fd >= 0)
		(void)sink->calls->close(fd);
	return told;
}

/* The same path may be another one: the program has changed its root. */
static bool is_same_tree(const struct sink *sink)
{
	struct stat status;
	return !read_root(sink, &status) || sink->root_inode == 0 ||
	       (status.st_dev == sink->root_device && status.st_ino == sink->root_inode);
}

int sink_open(struct sink *sink, const char *path, const struct sink_calls *calls)
{
	sink->calls = calls;
	sink->fd = -1;
	sink->bytes = 0;
	sink->remains = 0;
	sink->reopened = 0;
	sink->root_inode = 0;
	sink->left_whole = false;
	if ((size_t)snprintf(sink->path, sizeof(sink->path), "%s", path) >= sizeof(sink->path))
		return -ENAMETOOLONG;
	int fd = calls->open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	struct stat status;
	if (calls->fstat(fd, &status) < 0) {
		int code = -errno;
		(void)calls->close(fd);
		(void)calls->unlink(path);
		return code;
	}
	sink->device = status.st_dev;
	sink->inode = status.st_ino;
	sink->fd = move_up(sink, fd);
	if (read_root(sink, &status)) {
		sink->root_device = status.st_dev;
		sink->root_inode = status.st_ino;
	}
	return 0;
}

bool sink_is_there(const struct sink *sink)
{
	int fd = sink->calls->open(
		sink->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return sink->left_whole &&
		       ((errno != ENOENT && errno != ENOTDIR && errno != ELOOP) ||
			       !is_same_tree(sink));
	bool ours = is_ours(sink, fd);
	(void)sink->calls->close(fd);
	return ours || (sink->left_whole && !is_same_tree(sink));
}

/* Have a descriptor of our file. The old number is not closed: it is somebody else's now. */
static int make_sure(struct sink *sink)
{
	if (is_ours(sink, sink->fd))
		return 0;
	sink->fd = -1;
	int fd = sink->calls->open(sink->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return -errno;
	if (!is_ours(sink, fd)) {
		(void)sink->calls->close(fd);
		return -ENOENT;
	}
	sink->fd = move_up(sink, fd);
	sink->reopened++;
	return 0;
}

/* Room for the frame and the reserve behind it, or an error before a byte was written. */
static int reserve(struct sink *sink, size_t size)
{
	struct rlimit limit;
	size += SINK_RESERVE_BYTES;
	/* The kernel does not look at this limit when it reserves. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && sink->bytes + size > limit.rlim_cur)
		return -EFBIG;
	int code, tries = WRITE_TRIES;
	do
		code = sink->calls->fallocate(
			sink->fd, FALLOC_FL_KEEP_SIZE, (off_t)sink->bytes, (off_t)size);
	while (code < 0 && errno == EINTR && --tries > 0);
	if (code == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)
		return 0;
	return -errno;
}

static int write_all(struct sink *sink, const unsigned char *bytes, size_t size)
{
	unsigned tries = 0;
	while (size > 0) {
		ssize_t written = sink->calls->write(sink->fd, bytes, size);
		if (written < 0 && errno != EINTR)
			return -errno;
		if (written <= 0) {
			if (++tries > WRITE_TRIES)
				return -EIO;
			continue;
		}
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

static int cut(struct sink *sink, uint64_t size)
{
	int code, tries = WRITE_TRIES;
	do
		code = sink->calls->ftruncate(sink->fd, (off_t)size);
	while (code < 0 && errno == EINTR && --tries > 0);
	if (code < 0)
		return -errno;
	sink->bytes = size;
	sink->remains = 0;
	return 0;
}

int sink_cut(struct sink *sink, uint64_t size)
{
	int code = make_sure(sink);
	return code < 0 ? code : cut(sink, size);
}

int sink_write(struct sink *sink, const void *bytes, size_t size, unsigned flags)
{
	int code = make_sure(sink);
	if (code == 0 && sink->remains != 0)
		code = cut(sink, sink->bytes);
	if (code == 0 && !(flags & SINK_LAST))
		code = reserve(sink, size);
	if (code < 0)
		return code;
	code = write_all(sink, bytes, size);
	if (code < 0) {
		sink->remains = size;
		(void)cut(sink, sink->bytes);
		/* Cutting gave the reserve back as well. */
		if (!(flags & SINK_LAST))
			(void)reserve(sink, 0);
		return code;
	}
	sink->bytes += size;
	return 0;
}

void sink_close(struct sink *sink)
{
	struct stat status;
	sink->left_whole = false;
	if (read_ours(sink, sink->fd, &status)) {
		sink->left_whole = status.st_nlink > 0;
		/* Give back what was reserved behind the end. */
		(void)sink->calls->ftruncate(sink->fd, (off_t)sink->bytes);
		(void)sink->calls->close(sink->fd);
	}
	sink->fd = -1;
}

void sink_abandon(struct sink *sink)
{
	/* The parent may be in the middle of a write: the size tells nothing here. */
	struct stat status;
	if (is_same_file(sink, sink->fd, &status))
		(void)sink->calls->close(sink->fd);
	sink->fd = -1;
}

void sink_remove(struct sink *sink)
{
	bool ours = is_ours(sink, sink->fd);
	sink_close(sink);
	if (ours)
		(void)sink->calls->unlink(sink->path);
}
