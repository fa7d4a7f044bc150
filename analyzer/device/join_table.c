/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many entries that are waited for are passed over: more of them side by side are a backlog. */
#define PASSED_OVER 8u

static void *grown(void *items, size_t count, size_t larger, size_t item_bytes)
{
	void *copy = aligned_alloc(64, larger * item_bytes);
	if (copy != NULL && count > 0)
		memcpy(copy, items, count * item_bytes);
	return copy;
}

static inline void link_entry(struct join_table *table, uint32_t at)
{
	uint32_t *head = &table->heads[join_table_hash(table, table->entries[at].id)];
	table->chain[at] = *head;
	*head = at + 1;
}

/* Room for count entries; the new ones are used next. 0 or -ENOMEM (nothing changed). */
static int enlarge(struct join_table *table, uint32_t count)
{
	uint32_t before = table->entry_count;
	struct join_entry *entries = grown(table->entries, before, count, sizeof(*table->entries));
	uint8_t *states = calloc(count, sizeof(*states));
	uint32_t *heads = calloc(count, sizeof(*heads));
	uint32_t *chain = aligned_alloc(64, count * sizeof(*chain));
	if (entries == NULL || states == NULL || heads == NULL || chain == NULL) {
		free(entries);
		free(states);
		free(heads);
		free(chain);
		return -ENOMEM;
	}
	if (before > 0)
		memcpy(states, table->states, before * sizeof(*states));
	free(table->entries);
	free(table->states);
	free(table->heads);
	free(table->chain);
	table->entries = entries;
	table->states = states;
	table->heads = heads;
	table->chain = chain;
	table->entry_count = count;
	for (uint32_t i = 0; i < before; i++)
		if (states[i] != JOIN_EMPTY)
			link_entry(table, i);
	table->oldest = before;
	return 0;
}

int join_table_init(struct join_table *table)
{
	*table = (struct join_table){0};
	return enlarge(table, JOIN_ENTRIES);
}

void join_table_release(struct join_table *table)
{
	free(table->states);
	free(table->entries);
	free(table->heads);
	free(table->chain);
	*table = (struct join_table){0};
}

uint32_t join_table_choose(struct join_table *table)
{
	uint32_t first = table->oldest, mask = table->entry_count - 1;
	for (uint32_t i = 0; i <= PASSED_OVER; i++) {
		uint32_t at = (first + i) & mask;
		if (!join_table_is_open(table, at))
			return table->oldest = at;
	}
	if (table->entry_count < JOIN_ENTRIES_MOST)
		(void)enlarge(table, 2 * table->entry_count);
	return table->oldest;
}

uint32_t join_table_search(const struct join_table *table, uint32_t correlation)
{
	uint32_t at = table->heads[join_table_hash(table, correlation)] - 1;
	while (at != JOIN_NOWHERE && table->entries[at].id != correlation)
		at = table->chain[at] - 1;
	return at;
}
