/* SPDX-License-Identifier: MIT */
#include "collector/codec/sites.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/banned.h"
#include "collector/base/hash.h"

bool sites_init(struct sites *sites)
{
	*sites = (struct sites){
		.entries = malloc(FORMAT_SITE_LIMIT * sizeof(*sites->entries)),
		.slots = calloc(SITES_SLOTS, sizeof(*sites->slots)),
	};
	return sites->entries != NULL && sites->slots != NULL;
}

void sites_release(struct sites *sites)
{
	free(sites->entries);
	free(sites->slots);
	*sites = (struct sites){0};
}

static uint32_t slot_of(const uint64_t key[LAYOUT_SITE_WORDS])
{
	return (uint32_t)(hash_words(key, LAYOUT_SITE_WORDS) >> 40) & (SITES_SLOTS - 1);
}

static uint32_t next_slot(uint32_t slot)
{
	return (slot + 1) & (SITES_SLOTS - 1);
}

void sites_clear(struct sites *sites)
{
	/* A frame of a quiet second has few sites: do not wipe 128 KiB for them. */
	if (sites->count < SITES_SLOTS / 64) {
		sites_shrink(sites, 0);
		return;
	}
	memset(sites->slots, 0, SITES_SLOTS * sizeof(*sites->slots));
	sites->count = 0;
}

void sites_shrink(struct sites *sites, uint32_t count)
{
	/* The youngest entry is the last of every probe sequence that it is in. */
	while (sites->count > count) {
		uint32_t entry = --sites->count;
		uint32_t slot = slot_of(sites->entries[entry].key);
		while (sites->slots[slot] != entry + 1)
			slot = next_slot(slot);
		sites->slots[slot] = 0;
	}
}

uint32_t sites_find(struct sites *sites, const uint64_t key[LAYOUT_SITE_WORDS])
{
	uint32_t slot = slot_of(key);
	for (; sites->slots[slot] != 0; slot = next_slot(slot))
		if (site_is(&sites->entries[sites->slots[slot] - 1], key))
			return sites->slots[slot] - 1;
	if (sites->count == FORMAT_SITE_LIMIT)
		return SITES_NONE;
	struct site *site = &sites->entries[sites->count];
	memcpy(site->key, key, sizeof(site->key));
	site->means = (struct means){0};
	site->next = SITES_NONE;
	sites->slots[slot] = sites->count + 1;
	return sites->count++;
}
