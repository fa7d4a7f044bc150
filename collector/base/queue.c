/* SPDX-License-Identifier: MIT */
#include "collector/base/queue.h"

#include <errno.h>
#include <string.h>

#include "collector/base/vec.h"

int queue_make_room(struct queue_memory *memory, size_t more, size_t item_bytes)
{
	size_t gone = 0;
	if (memory->store != NULL)
		gone = (size_t)((char *)memory->items - (char *)memory->store) / item_bytes;
	if (gone > 0 && gone >= memory->capacity / 2 && memory->count + more <= memory->capacity) {
		memmove(memory->store, memory->items, memory->count * item_bytes);
		memory->items = memory->store;
		return 0;
	}
	void *grown =
		vec_grow(memory->store, &memory->capacity, gone + memory->count + more, item_bytes);
	if (grown == NULL)
		return -ENOMEM;
	memory->store = grown;
	memory->items = (char *)grown + gone * item_bytes;
	return 0;
}
