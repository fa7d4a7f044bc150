/* SPDX-License-Identifier: MIT */
/*
 * Reads memory of the own process that may not be there, without a fault: the kernel
 * copies it (process_vm_readv, or /proc/self/mem where a container forbids that). A
 * microsecond or two per call: for checking a foreign layout the first few times, and for memory
 * that another thread may change or free meanwhile.
 * Any thread; keeps errno; calls no hooked function.
 */
#ifndef PRELOAD_PEEK_H
#define PRELOAD_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copy size bytes from address to ret_bytes; false when any of them cannot be read. */
bool peek(const void *address, void *ret_bytes, size_t size);

#define PEEK_PIECES_LIMIT 256u

struct peek_piece {
	const void *from;
	size_t size;
};

/*
 * Copy count pieces (PEEK_PIECES_LIMIT at most) one behind the other, in this order, with one call
 * of the kernel; where that is forbidden, with some for each.
 * Returns how many of them were copied whole: those before the first that cannot be read.
 */
unsigned peek_pieces(const struct peek_piece *pieces, unsigned count, void *ret_bytes);

/*
 * Copy a terminated text, cut to size - 1 bytes and terminated. False when it cannot be read that
 * far; then *ret_text is undefined.
 */
bool peek_text(const char *address, char *ret_text, size_t size);

#endif
