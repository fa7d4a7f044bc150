/* SPDX-License-Identifier: MIT */
#include "analyzer/read/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ledger_release(struct ledger *ledger)
{
	for (struct ledger_thread *thread = ledger->list; thread != NULL;) {
		struct ledger_thread *next = thread->next;
		free(thread);
		thread = next;
	}
	idmap_release(&ledger->threads);
	vec_release(&ledger->good.ranges);
	vec_release(&ledger->bad.ranges);
	*ledger = (struct ledger){0};
}

/* Index of the first range that ends at or after number - 1, i.e. that it could belong to. */
static size_t find(const struct ledger_set *set, uint64_t number)
{
	size_t low = 0, high = set->ranges.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (set->ranges.items[middle].last + 1 < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct ledger_set *set, size_t at, uint64_t number)
{
	if (vec_reserve(&set->ranges, set->ranges.count + 1) < 0)
		return -ENOMEM;
	struct ledger_range *range = set->ranges.items + at;
	memmove(range + 1, range, (set->ranges.count - at) * sizeof(*range));
	*range = (struct ledger_range){number, number};
	set->ranges.count++;
	return 0;
}

int ledger_add(struct ledger_set *set, uint64_t number)
{
	size_t at = find(set, number);
	if (at == set->ranges.count || number + 1 < set->ranges.items[at].first)
		return insert(set, at, number);
	struct ledger_range *range = &set->ranges.items[at];
	if (number < range->first)
		range->first = number;
	if (number > range->last)
		range->last = number;
	if (at + 1 < set->ranges.count && range[1].first == range->last + 1) {
		range->last = range[1].last;
		set->ranges.count--;
		memmove(&range[1], &range[2], (set->ranges.count - at - 1) * sizeof(*range));
	}
	return 0;
}

bool ledger_has(const struct ledger_set *set, uint64_t number)
{
	for (size_t at = find(set, number); at < set->ranges.count; at++) {
		if (set->ranges.items[at].first > number)
			return false;
		if (set->ranges.items[at].last >= number)
			return true;
	}
	return false;
}

uint64_t ledger_until(const struct ledger_set *set)
{
	return set->ranges.count == 0 ? 0 : set->ranges.items[set->ranges.count - 1].last + 1;
}

/* Numbers in set that are not in other. */
static uint64_t count_outside(const struct ledger_set *set, const struct ledger_set *other)
{
	uint64_t count = 0;
	for (size_t i = 0; i < set->ranges.count; i++)
		for (uint64_t n = set->ranges.items[i].first; n <= set->ranges.items[i].last; n++)
			count += !ledger_has(other, n);
	return count;
}

uint64_t ledger_missing_frames(const struct ledger *ledger)
{
	uint64_t until = ledger_until(&ledger->good);
	if (ledger_until(&ledger->bad) > until)
		until = ledger_until(&ledger->bad);
	for (size_t i = 0; i < ledger->good.ranges.count; i++)
		until -= ledger->good.ranges.items[i].last - ledger->good.ranges.items[i].first + 1;
	/* every bad number stands for a header that was read: as many steps as that took */
	return until - count_outside(&ledger->bad, &ledger->good);
}

int ledger_add_events(struct ledger *ledger, uint32_t thread, uint64_t first, unsigned count)
{
	struct ledger_thread *entry = idmap_get(&ledger->threads, thread);
	if (entry == NULL) {
		entry = calloc(1, sizeof(*entry));
		if (entry == NULL)
			return -ENOMEM;
		if (idmap_set(&ledger->threads, thread, entry) < 0) {
			free(entry);
			return -ENOMEM;
		}
		*entry = (struct ledger_thread){ledger->list, first, first, 0};
		ledger->list = entry;
	}
	uint64_t until = first + count;
	if (first < entry->first)
		entry->first = first;
	if (until > entry->until)
		entry->until = until;
	entry->count += count;
	return 0;
}

uint64_t ledger_next_event(const struct ledger *ledger, uint32_t thread)
{
	const struct ledger_thread *entry = idmap_get(&ledger->threads, thread);
	return entry == NULL ? 0 : entry->until;
}

uint64_t ledger_missing_events(const struct ledger *ledger)
{
	uint64_t missing = 0;
	for (const struct ledger_thread *entry = ledger->list; entry != NULL; entry = entry->next) {
		uint64_t span = entry->until - entry->first;
		if (span > entry->count)
			missing += span - entry->count;
	}
	return missing;
}
