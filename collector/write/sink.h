/* SPDX-License-Identifier: MIT */
/*
 * Bytes to the trace file. Whole frames only: a frame that could not be written
 * completely is cut off again, so the file always ends with a whole one. A few KiB are
 * kept reserved behind the end, so that a full disk still leaves room for the last
 * words; sink_write() with SINK_LAST may use them.
 *
 * The program may close our descriptor or put its own file there at any time:
 * before each write device and inode are compared, and the file is opened again by its
 * path if it is still ours. Never a byte goes to a file that is not. System calls go
 * through struct sink_calls, so that tests can let any of them fail. One user.
 */
#ifndef COLLECTOR_WRITE_SINK_H
#define COLLECTOR_WRITE_SINK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SINK_RESERVE_BYTES (16u << 10)

struct sink_calls {
	int (*open)(const char *path, int flags, mode_t mode);
	int (*close)(int fd);
	int (*move)(int fd, int lowest); /* duplicate at lowest or above, close-on-exec */
	ssize_t (*write)(int fd, const void *bytes, size_t size);
	int (*fstat)(int fd, struct stat *ret_status);
	int (*ftruncate)(int fd, off_t size);
	int (*fallocate)(int fd, int mode, off_t offset, off_t size);
	int (*unlink)(const char *path);
};

/* The system's own. */
extern const struct sink_calls sink_system_calls;

enum sink_flags {
	SINK_LAST = 1 << 0, /* the closing frame: may use the reserve */
};

struct sink {
	const struct sink_calls *calls;
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;
	uint64_t bytes;   /* whole frames in the file */
	uint64_t remains; /* at most that much of a failed write is behind them */
	uint64_t reopened;
	dev_t root_device; /* of "/" when the file was made, 0: not known */
	ino_t root_inode;
	bool left_whole; /* it was there with all its bytes when it was closed */
	char path[PATH_MAX];
};

/* Create the file, which must not exist. 0 or -errno (-EEXIST: it is there). calls is kept. */
int sink_open(struct sink *sink, const char *path, const struct sink_calls *calls);

/*
 * Append a frame. 0, or a negative code after which the file is as before: -ENOSPC and other
 * system errors may pass, so try again later; -ENOENT: the file is gone from its path.
 */
int sink_write(struct sink *sink, const void *bytes, size_t size, unsigned flags);

/* Cut the file back to size (whole frames), to take back a closing frame. 0 or -errno. */
int sink_cut(struct sink *sink, uint64_t size);

/*
 * What was written is at its path: nobody has removed, replaced or shortened the file. Where the
 * program may not look there any more, or sees another tree of files: it was whole at its close.
 */
bool sink_is_there(const struct sink *sink);

/* Close the descriptor, if it is ours. The sink can be written to again (by path). */
void sink_close(struct sink *sink);

/* In the child of a fork: close the inherited descriptor, leave the file alone. */
void sink_abandon(struct sink *sink);

/* Close, and remove the file. */
void sink_remove(struct sink *sink);

#endif
