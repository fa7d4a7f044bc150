/* SPDX-License-Identifier: MIT */
/*
 * The names in a folder, by the kernel alone: libc's own streams are stood in for by sanitizers,
 * which take a number that a program's other thread has used for theirs, and allocate. One user
 * each; errno may change.
 */
#ifndef COLLECTOR_OWN_FOLDER_H
#define COLLECTOR_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLDER_BYTES 4096u

struct folder {
	int fd;
	size_t at, filled;
	char bytes[FOLDER_BYTES] __attribute__((aligned(8)));
};

/* False: it cannot be read; then it is not to be closed. */
bool folder_open(struct folder *folder, const char *path);

/* The next name, valid until the next call, with those that begin with a dot; NULL: no more. */
const char *folder_next(struct folder *folder);

void folder_close(struct folder *folder);

#endif
