/* SPDX-License-Identifier: MIT */
#include "collector/base/slots.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64u

void slots_release(struct slots *slots)
{
	free(slots->items);
	*slots = (struct slots){0};
}

static void put(struct slots *slots, struct slot slot)
{
	uint32_t at = slots_begin(slots, slot.hash);
	while (slots->items[at].item != 0)
		at = (at + 1) & (slots->capacity - 1);
	slots->items[at] = slot;
}

static int grow(struct slots *slots)
{
	struct slots larger = {
		.capacity = slots->capacity > 0 ? 2 * slots->capacity : FIRST_CAPACITY,
		.count = slots->count};
	larger.items = calloc(larger.capacity, sizeof(*larger.items));
	if (larger.items == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < slots->capacity; i++)
		if (slots->items[i].item != 0)
			put(&larger, slots->items[i]);
	free(slots->items);
	*slots = larger;
	return 0;
}

int slots_add(struct slots *slots, uint32_t hash, uint32_t item)
{
	if (slots->count >= slots->capacity / 2 && grow(slots) < 0)
		return -ENOMEM;
	put(slots, (struct slot){.hash = hash, .item = item + 1});
	slots->count++;
	return 0;
}
