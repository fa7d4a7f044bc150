/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/turn.h"

#include <stddef.h>

void turns_add(struct turns *turns, uint32_t place, uint64_t end_ns)
{
	struct turn *last = turns->count > 0 ? &turns->items[turns->count - 1] : NULL;
	if (last == NULL || (last->place != place && turns->count < TURNS_LIMIT)) {
		last = &turns->items[turns->count++];
		last->place = place;
	}
	if (last->place != place)
		last->place = 0; /* there is no room to tell them apart */
	last->end_ns = end_ns;
}
