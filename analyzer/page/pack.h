/* SPDX-License-Identifier: MIT */
/*
 * Bytes into a page: deflated without a header, as a browser's DecompressionStream reads them, and
 * then as one text without blanks: two of the characters '#' to '}' (with '!' for '<') for 13 bits,
 * lowest first, the last one or two for what is left. Memory does not grow with the bytes.
 *
 * Numbers go in as columns: the bytes of a column lie plane by plane, lowest first, only as many as
 * its largest number needs. Not thread-safe; write errors are those of the output.
 */
#ifndef ANALYZER_PAGE_PACK_H
#define ANALYZER_PAGE_PACK_H

#include <stdint.h>

#include "analyzer/text/out.h"

struct pack;

/* NULL: no memory. */
struct pack *pack_new(struct out *out);
void pack_free(struct pack *pack);

void pack_bytes(struct pack *pack, const void *bytes, size_t size);
void pack_u32(struct pack *pack, uint32_t value); /* little endian, as all of them */

/* The number of planes (a byte), then the planes. */
void pack_column(struct pack *pack, const uint64_t *values, size_t count);

/* The end of the text. Once. */
void pack_finish(struct pack *pack);

/* Small for small numbers of either sign. */
static inline uint64_t pack_signed(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

#endif
