/* SPDX-License-Identifier: MIT */
/*
 * Files that this library opens in a process that is not its own. Their descriptors are never 0, 1
 * or 2, not even for a moment: a program that has closed those writes its errors to whatever has
 * the number. Any thread; errno as open() leaves it; never a point at which a thread is cancelled,
 * and by the kernel alone: a sanitizer would take our numbers for the program's.
 */
#ifndef COLLECTOR_OWN_DESCRIPTOR_H
#define COLLECTOR_OWN_DESCRIPTOR_H

#include <sys/stat.h>
#include <sys/types.h>

#define DESCRIPTOR_LOWEST 3

/*
 * Hold those of 0 to 2 that are free while something else opens files, as the loader does: by what
 * can be neither read nor written, as if they were closed. Several threads may: they are free again
 * when the last one has released them. errno may change.
 */
void descriptor_hold(void);
void descriptor_release(void);

/* In the child of a fork: what was held for its parent is free. Keeps errno. */
void descriptor_forget(void);

/* As open(), with O_CLOEXEC. */
int descriptor_open(const char *path, int flags, mode_t mode);

/*
 * The same for reading, at a third of the price, while no thread of the program can use what is
 * free of 0 to 2 meanwhile: at its start.
 */
int descriptor_open_alone(const char *path);

/* As close(), whose errno is nobody's business. */
void descriptor_close(int fd);

/* As fstat(). */
int descriptor_stat(int fd, struct stat *ret_status);

/* As read(), again when a signal came between; a storm of them ends it with EINTR after all. */
ssize_t descriptor_read(int fd, void *ret_bytes, size_t size);

/* So many bytes of the file from offset on, shared, to read and write; NULL: as mmap() failed. */
void *descriptor_map(int fd, size_t bytes, off_t offset);

/* So often a call is made again that a signal has ended. */
#define DESCRIPTOR_TRIES 1000

#endif
