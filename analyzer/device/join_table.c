/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_table.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/base/circle.h"

#define LEAST_WAITING 1024u

/* More room for operations that wait; false: there is no memory, and nothing changes. */
static bool enlarge(struct join_table *table, uint32_t capacity)
{
	/* of a full circle; of one that never was full they reach back to where nothing is */
	uint64_t until = table->number, first = until - table->capacity;
	struct record *waiting = circle_grown(
		table->waiting, table->capacity, capacity, first, until, sizeof(*waiting));
	struct join_link *links =
		circle_grown(table->links, table->capacity, capacity, first, until, sizeof(*links));
	if (waiting == NULL || links == NULL) {
		free(waiting);
		free(links);
		return false;
	}
	free(table->waiting);
	free(table->links);
	table->waiting = waiting;
	table->links = links;
	table->capacity = capacity;
	return true;
}

int join_table_init(struct join_table *table)
{
	*table = (struct join_table){.number = 1};
	table->states = calloc(JOIN_ENTRIES, sizeof(*table->states));
	table->entries = aligned_alloc(64, JOIN_ENTRIES * sizeof(*table->entries));
	if (table->states != NULL && table->entries != NULL && enlarge(table, LEAST_WAITING))
		return 0;
	join_table_release(table);
	return -ENOMEM;
}

void join_table_release(struct join_table *table)
{
	free(table->states);
	free(table->entries);
	free(table->waiting);
	free(table->links);
	vec_release(&table->early);
	*table = (struct join_table){0};
}

uint32_t join_table_enlarge(struct join_table *table)
{
	if (table->capacity < JOIN_WAITING)
		(void)enlarge(table, 2 * table->capacity);
	return table->links[table->number & (table->capacity - 1)].entry - 1; /* 0: nowhere */
}

void join_table_wait(struct join_table *table, uint32_t at, const struct record *record)
{
	struct join_entry *entry = &table->entries[at];
	uint32_t mask = table->capacity - 1, number = table->number++, first = number;
	if (table->number == 0)
		table->number = 1;
	table->waiting[number & mask] = *record;
	if (entry->last != 0) {
		struct join_link *last = &table->links[entry->last & mask];
		first = last->next;
		last->next = number;
	}
	table->links[number & mask] = (struct join_link){.next = first, .entry = at + 1};
	entry->last = number;
}

struct join_early *join_table_early(struct join_table *table, uint32_t at)
{
	struct join_entry *entry = &table->entries[at];
	if (entry->early != 0)
		return &table->early.items[entry->early - 1];
	uint32_t index = table->free_early;
	if (index != 0) {
		table->free_early = table->early.items[index - 1].next_free;
		table->early.items[index - 1] = (struct join_early){0};
	} else {
		if (vec_push(&table->early, (struct join_early){0}) < 0)
			return NULL;
		index = (uint32_t)table->early.count;
	}
	entry->early = index;
	return &table->early.items[index - 1];
}

void join_table_take_early(struct join_table *table, uint32_t at, struct join_early *ret_early)
{
	struct join_entry *entry = &table->entries[at];
	struct join_early *early = &table->early.items[entry->early - 1];
	*ret_early = *early;
	early->next_free = table->free_early;
	table->free_early = entry->early;
	entry->early = 0;
}
