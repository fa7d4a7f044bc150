/* SPDX-License-Identifier: MIT */
/*
 * How much memory this process could still take before the kernel ends somebody for it: of the
 * machine, and of the control group that it runs in, as batch systems and containers set them
 * (both versions; also where only the own group is to be seen). What the kernel would give up by
 * itself, pages of files, counts as free. Opens a few files of the kernel, on
 * 20 KiB of stack; keeps errno. Any thread that has those.
 */
#ifndef COLLECTOR_BUFFER_ROOM_H
#define COLLECTOR_BUFFER_ROOM_H

#include <stdint.h>

#define ROOM_UNKNOWN UINT64_MAX

/* Bytes; ROOM_UNKNOWN where nothing says so. */
uint64_t room_bytes(void);

/* The same below another root, for tests. root: "" or a path without a slash at its end. */
uint64_t room_bytes_at(const char *root);

#endif
