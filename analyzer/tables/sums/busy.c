/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/busy.h"

#include <string.h>

void tables_busy_release(struct tables_busy *busy)
{
	vec_release(&busy->stretches);
	*busy = (struct tables_busy){0};
}

/* The older half becomes a length, so that the rest is moved seldom. */
static void settle(struct tables_busy *busy)
{
	size_t count = busy->stretches.count / 2;
	struct tables_stretch *items = busy->stretches.items;
	for (size_t i = 0; i < count; i++)
		busy->settled_ns += items[i].end_ns - items[i].begin_ns;
	busy->floor_ns = items[count - 1].end_ns;
	busy->stretches.count -= count;
	memmove(items, items + count, busy->stretches.count * sizeof(*items));
}

/* Put a stretch at index first in the place of those up to last. 0 or -ENOMEM. */
static int replace(
	struct tables_busy *busy, size_t first, size_t last, const struct tables_stretch *stretch)
{
	if (first == last && vec_reserve(&busy->stretches, busy->stretches.count + 1) < 0)
		return -ENOMEM;
	struct tables_stretch *items = busy->stretches.items;
	memmove(items + first + 1, items + last, (busy->stretches.count - last) * sizeof(*items));
	busy->stretches.count = busy->stretches.count + 1 - (last - first);
	items[first] = *stretch;
	return 0;
}

int tables_busy_add(struct tables_busy *busy, uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns < busy->floor_ns && begin_ns < end_ns) {
		uint64_t until = end_ns < busy->floor_ns ? end_ns : busy->floor_ns;
		busy->late_ns += until - begin_ns;
		begin_ns = until;
	}
	if (end_ns <= begin_ns)
		return 0;
	struct tables_stretch stretch = {begin_ns, end_ns};
	if (busy->stretches.count > 0) { /* the common case: on from the latest */
		struct tables_stretch *latest = &busy->stretches.items[busy->stretches.count - 1];
		if (begin_ns >= latest->begin_ns && begin_ns <= latest->end_ns) {
			latest->end_ns = end_ns > latest->end_ns ? end_ns : latest->end_ns;
			return 0;
		}
	}
	size_t last = busy->stretches.count;
	while (last > 0 && busy->stretches.items[last - 1].begin_ns > end_ns)
		last--;
	size_t first = last;
	while (first > 0 && busy->stretches.items[first - 1].end_ns >= begin_ns) {
		const struct tables_stretch *other = &busy->stretches.items[--first];
		if (other->begin_ns < stretch.begin_ns)
			stretch.begin_ns = other->begin_ns;
		if (other->end_ns > stretch.end_ns)
			stretch.end_ns = other->end_ns;
	}
	int err = replace(busy, first, last, &stretch);
	if (err == 0 && busy->stretches.count == TABLES_BUSY_WINDOW)
		settle(busy);
	return err;
}

uint64_t tables_busy_ns(const struct tables_busy *busy)
{
	uint64_t length = busy->settled_ns;
	for (size_t i = 0; i < busy->stretches.count; i++)
		length += busy->stretches.items[i].end_ns - busy->stretches.items[i].begin_ns;
	return length;
}
