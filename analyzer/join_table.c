/* SPDX-License-Identifier: MIT */
#include "analyzer/join_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int join_table_init(struct join_table *table)
{
	*table = (struct join_table){0};
	table->keys = calloc(JOIN_ENTRIES, sizeof(*table->keys));
	table->links = calloc(JOIN_WAITING, sizeof(*table->links));
	table->entries = aligned_alloc(64, JOIN_ENTRIES * sizeof(*table->entries));
	table->waiting = aligned_alloc(64, JOIN_WAITING * sizeof(*table->waiting));
	if (table->keys == NULL || table->links == NULL || table->entries == NULL ||
		table->waiting == NULL) {
		join_table_release(table);
		return -ENOMEM;
	}
	memset(table->entries, 0, JOIN_ENTRIES * sizeof(*table->entries));
	return 0;
}

void join_table_release(struct join_table *table)
{
	free(table->keys);
	free(table->entries);
	free(table->waiting);
	free(table->links);
	*table = (struct join_table){0};
}

struct join_entry *join_table_place(struct join_table *table, uint32_t correlation)
{
	uint32_t best = correlation & (JOIN_ENTRIES - 1);
	for (uint32_t i = 0; i < JOIN_PROBES; i++) {
		uint32_t at = (correlation + i) & (JOIN_ENTRIES - 1);
		if (table->keys[at].stamp == 0)
			return &table->entries[at];
		if ((int32_t)(table->keys[at].stamp - table->keys[best].stamp) < 0)
			best = at;
	}
	return &table->entries[best];
}

void join_table_take(struct join_table *table, struct join_entry *entry, uint32_t correlation)
{
	if (++table->stamp == 0)
		table->stamp = 1;
	table->keys[entry - table->entries] =
		(struct join_key){.id = correlation, .stamp = table->stamp};
	*entry = (struct join_entry){.state = JOIN_OPERATIONS};
}

struct join_entry *join_table_oldest(struct join_table *table)
{
	uint32_t entry = table->links[table->put & (JOIN_WAITING - 1)].entry;
	return entry != 0 ? &table->entries[entry - 1] : NULL;
}

void join_table_wait(
	struct join_table *table, struct join_entry *entry, const struct record *record)
{
	uint32_t at = (uint32_t)(table->put++ & (JOIN_WAITING - 1));
	table->waiting[at] = *record;
	table->links[at] = (struct join_link){.entry = (uint32_t)(entry - table->entries) + 1};
	if (entry->waiting == 0)
		entry->waiting = at + 1;
	else
		table->links[entry->last - 1].next = at + 1;
	entry->last = at + 1;
}

bool join_table_next(struct join_table *table, struct join_entry *entry, struct record *ret_record)
{
	if (entry->waiting == 0)
		return false;
	struct join_link *link = &table->links[entry->waiting - 1];
	*ret_record = table->waiting[entry->waiting - 1];
	entry->waiting = link->next;
	link->entry = 0;
	return true;
}
