/* SPDX-License-Identifier: MIT */
#include "collector/base/circle.h"

#include <string.h>

#define LINE_BYTES 64u

void *circle_grown(const void *items, size_t capacity, size_t larger, uint64_t first,
	uint64_t until, size_t item_bytes)
{
	if (larger > (PTRDIFF_MAX - LINE_BYTES) / item_bytes)
		return NULL;
	size_t bytes = (larger * item_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	char *grown = aligned_alloc(LINE_BYTES, bytes);
	if (grown == NULL)
		return NULL;
	memset(grown, 0, bytes);
	for (uint64_t at = first; at != until; at++)
		memcpy(grown + (at & (larger - 1)) * item_bytes,
			(const char *)items + (at & (capacity - 1)) * item_bytes, item_bytes);
	return grown;
}
