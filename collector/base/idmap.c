/* SPDX-License-Identifier: MIT */
#include "collector/base/idmap.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64u

void idmap_release(struct idmap *map)
{
	free(map->entries);
	*map = (struct idmap){0};
}

static struct idmap_entry *find(const struct idmap *map, uint32_t id)
{
	size_t at = idmap_slot(map, id);
	while (map->entries[at].value != NULL && map->entries[at].id != id)
		at = (at + 1) & (map->capacity - 1);
	return &map->entries[at];
}

static int grow(struct idmap *map)
{
	struct idmap larger = {.capacity = map->capacity == 0 ? FIRST_CAPACITY : map->capacity * 2,
		.count = map->count};
	larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
	if (larger.entries == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->entries[i].value != NULL)
			*find(&larger, map->entries[i].id) = map->entries[i];
	free(map->entries);
	*map = larger;
	return 0;
}

int idmap_set(struct idmap *map, uint32_t id, void *value)
{
	if (map->count + 1 > map->capacity / 2 && grow(map) < 0)
		return -ENOMEM;
	struct idmap_entry *entry = find(map, id);
	if (entry->value == NULL)
		map->count++;
	*entry = (struct idmap_entry){value, id};
	return 0;
}
