/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WAITING 1024u

/* Memory of a circle; false: there is none, and nothing changes. */
static bool make_circle(
	uint32_t capacity, struct record **ret_waiting, struct join_link **ret_links)
{
	struct record *waiting = aligned_alloc(64, capacity * sizeof(*waiting));
	struct join_link *links = calloc(capacity, sizeof(*links));
	if (waiting == NULL || links == NULL) {
		free(waiting);
		free(links);
		return false;
	}
	*ret_waiting = waiting;
	*ret_links = links;
	return true;
}

int join_table_init(struct join_table *table)
{
	*table = (struct join_table){.capacity = LEAST_WAITING, .number = 1};
	table->states = calloc(JOIN_ENTRIES, sizeof(*table->states));
	table->entries = aligned_alloc(64, JOIN_ENTRIES * sizeof(*table->entries));
	if (table->states != NULL && table->entries != NULL &&
		make_circle(table->capacity, &table->waiting, &table->links))
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

static void grow(struct join_table *table)
{
	struct record *waiting;
	struct join_link *links;
	uint32_t capacity = 2 * table->capacity;
	if (!make_circle(capacity, &waiting, &links))
		return;
	for (uint32_t i = 1; i <= table->capacity; i++) {
		uint32_t from = (table->number - i) & (table->capacity - 1);
		uint32_t to = (table->number - i) & (capacity - 1);
		waiting[to] = table->waiting[from];
		links[to] = table->links[from];
	}
	free(table->waiting);
	free(table->links);
	table->waiting = waiting;
	table->links = links;
	table->capacity = capacity;
}

uint32_t join_table_enlarge(struct join_table *table)
{
	if (table->capacity < JOIN_WAITING)
		grow(table);
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
