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
	free(ledger->good.ranges);
	free(ledger->bad.ranges);
	*ledger = (struct ledger){0};
}

/* Index of the first range that ends at or after number - 1, i.e. that it could belong to. */
static size_t find(const struct ledger_set *set, uint64_t number)
{
	size_t low = 0, high = set->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (set->ranges[middle].last + 1 < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct ledger_set *set, size_t at, uint64_t number)
{
	if (set->count == set->capacity) {
		size_t capacity = set->capacity == 0 ? 8 : set->capacity * 2;
		struct ledger_range *larger = realloc(set->ranges, capacity * sizeof(*larger));
		if (larger == NULL)
			return -ENOMEM;
		set->ranges = larger;
		set->capacity = capacity;
	}
	struct ledger_range *range = set->ranges + at;
	memmove(range + 1, range, (set->count - at) * sizeof(*range));
	*range = (struct ledger_range){number, number};
	set->count++;
	return 0;
}

int ledger_add(struct ledger_set *set, uint64_t number)
{
	size_t at = find(set, number);
	if (at == set->count || number + 1 < set->ranges[at].first)
		return insert(set, at, number);
	struct ledger_range *range = &set->ranges[at];
	if (number < range->first)
		range->first = number;
	if (number > range->last)
		range->last = number;
	if (at + 1 < set->count && range[1].first == range->last + 1) {
		range->last = range[1].last;
		set->count--;
		memmove(&range[1], &range[2], (set->count - at - 1) * sizeof(*range));
	}
	return 0;
}

bool ledger_has(const struct ledger_set *set, uint64_t number)
{
	for (size_t at = find(set, number); at < set->count; at++) {
		if (set->ranges[at].first > number)
			return false;
		if (set->ranges[at].last >= number)
			return true;
	}
	return false;
}

uint64_t ledger_until(const struct ledger_set *set)
{
	return set->count == 0 ? 0 : set->ranges[set->count - 1].last + 1;
}

/* Numbers in set that are not in other. */
static uint64_t count_outside(const struct ledger_set *set, const struct ledger_set *other)
{
	uint64_t count = 0;
	for (size_t i = 0; i < set->count; i++)
		for (uint64_t n = set->ranges[i].first; n <= set->ranges[i].last; n++)
			count += !ledger_has(other, n);
	return count;
}

uint64_t ledger_missing_frames(const struct ledger *ledger)
{
	uint64_t until = ledger_until(&ledger->good);
	if (ledger_until(&ledger->bad) > until)
		until = ledger_until(&ledger->bad);
	for (size_t i = 0; i < ledger->good.count; i++)
		until -= ledger->good.ranges[i].last - ledger->good.ranges[i].first + 1;
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
