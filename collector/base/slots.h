/* SPDX-License-Identifier: MIT */
/*
 * Finding an item of a growing array by its key: an open-addressing table of item numbers. The
 * items, their keys and what makes two keys equal are the caller's; the table keeps the hash
 * beside each number, so it can grow without asking and most unequal keys are never compared.
 *
 *	uint32_t at = slots_begin(&slots, hash), item;
 *	while ((item = slots_match(&slots, hash, &at)) != SLOTS_NONE)
 *		if (same(&items[item], key))
 *			return item;
 *	if (slots_add(&slots, hash, count) != 0) ...     -ENOMEM; unchanged then
 *
 * hash is 32 bits of which the low ones are good (hash.h: the high half of hash_words()). Nothing
 * is ever taken out. At most half of the slots are in use. Not thread-safe; an all-zero struct is
 * an empty table. Not for the traced process: it allocates.
 */
#ifndef COLLECTOR_BASE_SLOTS_H
#define COLLECTOR_BASE_SLOTS_H

#include <stdint.h>

#define SLOTS_NONE UINT32_MAX

struct slot {
	uint32_t hash;
	uint32_t item; /* + 1; 0: free */
};

struct slots {
	struct slot *items;
	uint32_t capacity; /* power of two or 0 */
	uint32_t count;
};

void slots_release(struct slots *slots);

/* The item of this number has that hash; each number comes once. 0 or -ENOMEM (nothing changed). */
int slots_add(struct slots *slots, uint32_t hash, uint32_t item);

/* Where the search for a hash begins. */
static inline uint32_t slots_begin(const struct slots *slots, uint32_t hash)
{
	return hash & (slots->capacity - 1);
}

/* The next item with this hash, SLOTS_NONE: there is no more. *at moves behind it. */
static inline uint32_t slots_match(const struct slots *slots, uint32_t hash, uint32_t *at)
{
	if (slots->capacity == 0)
		return SLOTS_NONE;
	for (;;) {
		const struct slot *slot = &slots->items[*at];
		*at = (*at + 1) & (slots->capacity - 1);
		if (slot->item == 0 || slot->hash == hash)
			return slot->item - 1; /* free: SLOTS_NONE */
	}
}

#endif
