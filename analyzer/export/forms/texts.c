/* SPDX-License-Identifier: MIT */
#include "analyzer/export/forms/texts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/hash.h"

#define FIRST_CAPACITY 1024u

void texts_release(struct texts *texts)
{
	for (size_t i = 0; i < texts->items.count; i++)
		free(texts->items.items[i]);
	vec_release(&texts->items);
	free(texts->slots);
	*texts = (struct texts){0};
}

static uint32_t *find(const struct texts *texts, const char *text)
{
	uint64_t hash = 0;
	for (const char *at = text; *at != '\0'; at++)
		hash = hash_mix(hash, (unsigned char)*at) ^ hash >> 32;
	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		uint32_t *slot = &texts->slots[at & (texts->capacity - 1)];
		if (*slot == 0 || strcmp(texts->items.items[*slot - 1], text) == 0)
			return slot;
	}
}

static bool grow(struct texts *texts)
{
	uint32_t capacity = texts->capacity == 0 ? FIRST_CAPACITY : texts->capacity * 2;
	if (texts->items.count < texts->capacity / 2)
		return true;
	uint32_t *old = texts->slots, *slots = calloc(capacity, sizeof(*slots));
	if (slots == NULL)
		return false;
	texts->slots = slots;
	texts->capacity = capacity;
	for (size_t i = 0; i < texts->items.count; i++)
		*find(texts, texts->items.items[i]) = (uint32_t)i + 1;
	free(old);
	return true;
}

uint32_t texts_add(struct texts *texts, const char *text)
{
	if (!grow(texts))
		return 0;
	uint32_t *slot = find(texts, text);
	if (*slot != 0)
		return *slot;
	if (vec_reserve(&texts->items, texts->items.count + 1) < 0)
		return 0;
	char *copy = strdup(text);
	if (copy == NULL)
		return 0;
	texts->items.items[texts->items.count++] = copy;
	*slot = (uint32_t)texts->items.count;
	return *slot;
}

const char *texts_get(const struct texts *texts, uint32_t number)
{
	return number != 0 ? texts->items.items[number - 1] : "";
}
