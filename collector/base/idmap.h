/* SPDX-License-Identifier: MIT */
/*
 * Small numbers to pointers: ids of names, places, calls and threads as a trace
 * gives them. Memory grows with the number of entries, not with the size of the
 * ids, since a damaged or hostile trace may use any. Values belong to the caller.
 * Not thread-safe; an all-zero struct is an empty map.
 */
#ifndef COLLECTOR_BASE_IDMAP_H
#define COLLECTOR_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/hash.h"

struct idmap_entry {
	void *value; /* NULL: empty */
	uint32_t id;
};

struct idmap {
	struct idmap_entry *entries;
	size_t capacity; /* power of two or 0 */
	size_t count;
};

void idmap_release(struct idmap *map);

/* Set a value, never NULL; replaces an older one. 0 or -ENOMEM (nothing changed). */
int idmap_set(struct idmap *map, uint32_t id, void *value);

static inline size_t idmap_slot(const struct idmap *map, uint32_t id)
{
	return (size_t)hash_id(id) & (map->capacity - 1);
}

/* The value of id, or NULL. */
static inline void *idmap_get(const struct idmap *map, uint32_t id)
{
	if (map->capacity == 0)
		return NULL;
	for (size_t at = idmap_slot(map, id);; at = (at + 1) & (map->capacity - 1)) {
		const struct idmap_entry *entry = &map->entries[at];
		if (entry->value == NULL || entry->id == id)
			return entry->value;
	}
}

#endif
