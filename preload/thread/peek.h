/* SPDX-License-Identifier: MIT */
/*
 * Reads memory of the own process that may not be there, without a fault: the kernel
 * copies it (process_vm_readv, or /proc/self/mem where a container forbids that). A
 * microsecond per call: for checking a foreign layout the first few times, not for use.
 * Any thread; keeps errno; calls no hooked function.
 */
#ifndef PRELOAD_PEEK_H
#define PRELOAD_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copy size bytes from address to ret_bytes; false when any of them cannot be read. */
bool peek(const void *address, void *ret_bytes, size_t size);

/*
 * Copy a terminated text, cut to size - 1 bytes and terminated. False when it cannot be read that
 * far; then *ret_text is undefined.
 */
bool peek_text(const char *address, char *ret_text, size_t size);

#endif
