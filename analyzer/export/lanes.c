/* SPDX-License-Identifier: MIT */
#include "analyzer/export/lanes.h"

void lanes_release(struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->lanes.count; i++)
		vec_release(&lanes->lanes.items[i].open);
	vec_release(&lanes->lanes);
}

/* The older half of what is remembered, two by two. */
static void merge_oldest(struct lane *lane)
{
	struct lane_entry *items = lane->open.items;
	size_t half = lane->open.count / 4 * 2, kept = 0;
	for (size_t i = 0; i < half; i += 2)
		items[kept++] = (struct lane_entry){items[i].begin_ns, items[i + 1].end_ns};
	for (size_t i = half; i < lane->open.count; i++)
		items[kept++] = items[i];
	lane->open.count = kept;
}

/* Whether the event fits; what it surrounds is remembered no longer. */
static bool fits(struct lane *lane, uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns >= lane->end_ns)
		return true;
	if (end_ns < lane->end_ns)
		return false;
	size_t count = lane->open.count;
	const struct lane_entry *items = lane->open.items;
	while (count > 0 && items[count - 1].begin_ns >= begin_ns) {
		const struct lane_entry *inner = &items[count - 1];
		if (inner->begin_ns == begin_ns && inner->end_ns > begin_ns)
			return false;
		count--;
	}
	if (count > 0 && items[count - 1].end_ns > begin_ns)
		return false;
	lane->open.count = count;
	return true;
}

static int put(struct lane *lane, uint64_t begin_ns, uint64_t end_ns)
{
	if (lane->open.count == LANE_ENTRIES)
		merge_oldest(lane);
	lane->end_ns = end_ns > lane->end_ns ? end_ns : lane->end_ns;
	return vec_push(&lane->open, ((struct lane_entry){begin_ns, end_ns}));
}

struct lane *lanes_search(struct lanes *lanes, uint64_t begin_ns, uint64_t end_ns, bool *ret_new)
{
	*ret_new = false;
	for (size_t i = 0; i < lanes->lanes.count; i++) {
		struct lane *lane = &lanes->lanes.items[i];
		if (fits(lane, begin_ns, end_ns) || i + 1 == LANES_LIMIT)
			return put(lane, begin_ns, end_ns) == 0 ? lane : NULL;
	}
	if (vec_push(&lanes->lanes, ((struct lane){0})) < 0)
		return NULL;
	*ret_new = true;
	struct lane *lane = &lanes->lanes.items[lanes->lanes.count - 1];
	return put(lane, begin_ns, end_ns) == 0 ? lane : NULL;
}
