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
	for (uint64_t at = first, run; at != until; at += run) {
		size_t from = at & (capacity - 1), to = at & (larger - 1);
		run = until - at < capacity - from ? until - at : capacity - from;
		run = run < larger - to ? run : larger - to;
		memcpy(grown + to * item_bytes, (const char *)items + from * item_bytes,
			run * item_bytes);
	}
	return grown;
}
