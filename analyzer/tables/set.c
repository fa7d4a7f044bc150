/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u

static const struct {
	unsigned hists;
	uint32_t limit;
} shapes[TABLES_COUNT] = {
#define TABLE(id, name, title, hists, rows, needs, remark) [TABLES_##id] = {hists, rows},
#define COLUMN(id, type, name, heading)
#include "analyzer/tables/tables.def"
#undef TABLE
#undef COLUMN
};

unsigned tables_set_hists(enum tables_id id)
{
	return shapes[id].hists;
}

struct tables_row *tables_row_new(enum tables_id id, const uint64_t key[TABLES_KEY])
{
	struct tables_row *row = calloc(1, sizeof(*row) + shapes[id].hists * sizeof(row->hists[0]));
	if (row == NULL)
		return NULL;
	memcpy(row->key, key, sizeof(row->key));
	if (id != TABLES_DEVICES && id != TABLES_STREAMS)
		return row;
	row->busy = calloc(1, sizeof(*row->busy));
	if (row->busy != NULL)
		return row;
	free(row);
	return NULL;
}

void tables_row_free(struct tables_row *row, enum tables_id id)
{
	if (row == NULL)
		return;
	for (unsigned i = 0; i < shapes[id].hists; i++)
		tables_hist_release(&row->hists[i]);
	if (row->busy != NULL)
		tables_busy_release(row->busy);
	free(row->busy);
	free(row);
}

void tables_set_release(struct tables_set *set, enum tables_id id)
{
	for (uint32_t i = 0; i < set->count; i++)
		tables_row_free(set->rows[i], id);
	tables_row_free(set->others, id);
	free(set->rows);
	free(set->slots);
	*set = (struct tables_set){0};
}

static uint32_t slot_of(const struct tables_set *set, const uint64_t key[TABLES_KEY])
{
	uint64_t sum = key[0] * 0x9e3779b97f4a7c15ull ^ key[1] * 0xc2b2ae3d27d4eb4full ^
		       key[2] * 0x165667b19e3779f9ull ^ key[3] * 0xd6e8feb86659fd93ull;
	sum = (sum ^ sum >> 32) * 0x9e3779b97f4a7c15ull;
	uint32_t slot = (uint32_t)(sum >> 32) & (set->capacity - 1);
	for (;; slot = (slot + 1) & (set->capacity - 1)) {
		const struct tables_row *row = set->slots[slot];
		if (row == NULL || ((row->key[0] ^ key[0]) | (row->key[1] ^ key[1]) |
					   (row->key[2] ^ key[2]) | (row->key[3] ^ key[3])) == 0)
			return slot;
	}
}

static int grow(struct tables_set *set)
{
	uint32_t capacity = set->capacity == 0 ? FIRST_CAPACITY : 2 * set->capacity;
	struct tables_row **rows = realloc(set->rows, capacity / 2 * sizeof(struct tables_row *));
	if (rows == NULL)
		return -ENOMEM;
	set->rows = rows;
	struct tables_row **slots = calloc(capacity, sizeof(struct tables_row *));
	if (slots == NULL)
		return -ENOMEM;
	free(set->slots);
	set->slots = slots;
	set->capacity = capacity;
	for (uint32_t i = 0; i < set->count; i++)
		set->slots[slot_of(set, set->rows[i]->key)] = set->rows[i];
	return 0;
}

static struct tables_row *take_others(struct tables_set *set, enum tables_id id)
{
	static const uint64_t no_key[TABLES_KEY];
	if (set->others == NULL)
		set->others = tables_row_new(id, no_key);
	if (set->others != NULL)
		set->others->others = true;
	return set->others;
}

struct tables_row *tables_set_find(
	struct tables_set *set, enum tables_id id, const uint64_t key[TABLES_KEY])
{
	if (set->capacity == 0 && grow(set) < 0)
		return NULL;
	uint32_t slot = slot_of(set, key);
	if (set->slots[slot] != NULL)
		return set->slots[slot];
	if (set->count == shapes[id].limit)
		return take_others(set, id);
	if (set->count == set->capacity / 2) {
		if (grow(set) < 0)
			return NULL;
		slot = slot_of(set, key);
	}
	struct tables_row *row = tables_row_new(id, key);
	if (row == NULL)
		return NULL;
	set->rows[set->count++] = row;
	set->slots[slot] = row;
	return row;
}
