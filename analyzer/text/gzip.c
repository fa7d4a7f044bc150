/* SPDX-License-Identifier: MIT */
#include "analyzer/text/gzip.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#define LEVEL "wb4" /* a time line shrinks to a tenth; more is slow and gains little */

int gzip_open(int fd, void **ret_gzip)
{
	int own = dup(fd);
	if (own < 0)
		return -errno;
	gzFile file = gzdopen(own, LEVEL);
	if (file == NULL) {
		(void)close(own);
		return -ENOMEM;
	}
	*ret_gzip = file;
	return 0;
}

/* zlib keeps errno of a failed write; its own errors are a lack of memory. */
static int failure(int result)
{
	return result == Z_ERRNO && errno != 0 ? -errno : -ENOMEM;
}

ssize_t gzip_write(void *gzip, const char *bytes, size_t size)
{
	int result;
	errno = 0;
	if (gzwrite(gzip, bytes, (unsigned)size) == (int)size)
		return (ssize_t)size;
	(void)gzerror(gzip, &result);
	return failure(result);
}

int gzip_close(void *gzip)
{
	errno = 0;
	int result = gzclose(gzip);
	return result == Z_OK ? 0 : failure(result);
}
