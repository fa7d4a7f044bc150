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
	for (uint64_t at = first; at != until; at++)
		memcpy(grown + (at & (larger - 1)) * item_bytes,
			(const char *)items + (at & (capacity - 1)) * item_bytes, item_bytes);
	/* what is free: one part, or one at each end */
	size_t from = until & (larger - 1), to = first & (larger - 1);
	if (until != first && from <= to) {
		memset(grown + from * item_bytes, 0, (to - from) * item_bytes);
	} else {
		size_t used = until != first ? to : from;
		memset(grown, 0, used * item_bytes);
		memset(grown + from * item_bytes, 0, (larger - from) * item_bytes);
	}
	return grown;
}
