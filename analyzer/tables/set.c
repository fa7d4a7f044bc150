/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/set.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/hash.h"

static const struct {
	unsigned hists;
	uint32_t limit;
} shapes[TABLES_COUNT] = {
#define TABLE(id, name, title, hists, rows, needs, remark) [TABLES_##id] = {hists, rows},
#define COLUMN(id, type, name, heading)
#include "analyzer/tables/columns.def"
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
	bool busy = id == TABLES_DEVICES || id == TABLES_STREAMS || id == TABLES_OVERVIEW ||
		    id == TABLES_DISTRIBUTION;
	if (busy)
		row->busy = calloc(1, sizeof(*row->busy));
	if (id == TABLES_MEMORY)
		row->held = calloc(1, sizeof(*row->held));
	if ((!busy || row->busy != NULL) && (id != TABLES_MEMORY || row->held != NULL))
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
	free(row->held);
	free(row);
}

void tables_set_release(struct tables_set *set, enum tables_id id)
{
	for (size_t i = 0; i < set->rows.count; i++)
		tables_row_free(set->rows.items[i], id);
	tables_row_free(set->others, id);
	vec_release(&set->rows);
	slots_release(&set->slots);
	*set = (struct tables_set){0};
}

static bool has_key(const struct tables_row *row, const uint64_t key[TABLES_KEY])
{
	return ((row->key[0] ^ key[0]) | (row->key[1] ^ key[1]) | (row->key[2] ^ key[2]) |
		       (row->key[3] ^ key[3])) == 0;
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
	const uint32_t hash = (uint32_t)(hash_words(key, TABLES_KEY) >> 32);
	uint32_t at = slots_begin(&set->slots, hash), item;
	while ((item = slots_match(&set->slots, hash, &at)) != SLOTS_NONE)
		if (has_key(set->rows.items[item], key))
			return set->rows.items[item];
	/* rows never go, so that what was counted once is not split over two of the same key */
	if (set->rows.count == shapes[id].limit)
		return take_others(set, id);
	struct tables_row *row = tables_row_new(id, key);
	if (row == NULL || vec_reserve(&set->rows, set->rows.count + 1) < 0 ||
		slots_add(&set->slots, hash, (uint32_t)set->rows.count) < 0) {
		tables_row_free(row, id);
		return NULL;
	}
	return set->rows.items[set->rows.count++] = row;
}
