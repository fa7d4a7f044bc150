/* SPDX-License-Identifier: MIT */
/*
 * A file that is compressed while it is written, as gzip does. Not thread-safe.
 */
#ifndef ANALYZER_TEXT_GZIP_H
#define ANALYZER_TEXT_GZIP_H

#include <stddef.h>
#include <sys/types.h>

/* Compress into fd, which stays open and the caller's. 0 or -errno. */
int gzip_open(int fd, void **ret_gzip);

/* All size bytes: size, or -errno. */
ssize_t gzip_write(void *gzip, const char *bytes, size_t size);

/* What is left, and the end. 0 or -errno. */
int gzip_close(void *gzip);

#endif
