/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/tables/cells.h"
#include "analyzer/tables/store.h"

/* A row on its way into a view. */
struct entry {
	const char *label;
	uint64_t rest[TABLES_KEY]; /* of the key, without a name that the label stands for */
	const struct tables_row *row;
	struct tables_row *merged; /* the row, when it was made here */
	uint64_t weight;
};

struct entries {
	enum tables_id id;
	struct entry *items;
	size_t count;
};

static void describe(const struct tables_source *source, enum tables_id id, struct entry *entry)
{
	const struct tables_row *row = entry->row;
	entry->label = tables_row_label(source, id, row);
	memcpy(entry->rest, row->key, sizeof(entry->rest));
	if (id == TABLES_GPU_ACTIVITIES || id == TABLES_LAUNCHES)
		entry->rest[1] = 0; /* the name */
	else if (id == TABLES_KERNELS)
		entry->rest[0] = key_kernel_registers(row->key);
}

static int compare_names(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->row->others != b->row->others)
		return a->row->others - b->row->others;
	int order = strcmp(a->label, b->label);
	for (unsigned i = 0; order == 0 && i < TABLES_KEY; i++)
		order = (a->rest[i] > b->rest[i]) - (a->rest[i] < b->rest[i]);
	return order;
}

static int compare_weights(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->row->others != b->row->others || a->weight == b->weight)
		return compare_names(left, right);
	return a->weight > b->weight ? -1 : 1;
}

/* The row of an entry as one that may be changed. NULL: no memory. */
static struct tables_row *own_row(struct entry *entry, enum tables_id id)
{
	if (entry->merged != NULL)
		return entry->merged;
	const struct tables_row *row = entry->row;
	entry->merged = tables_row_new(id, row->key);
	if (entry->merged == NULL)
		return NULL;
	entry->row = entry->merged;
	entry->merged->count = row->count;
	for (unsigned i = 0; i < tables_set_hists(id); i++)
		if (tables_hist_merge(&entry->merged->hists[i], &row->hists[i]) < 0)
			return NULL;
	return entry->merged;
}

/* Make one row of entry and another that is called the same. 0 or -ENOMEM. */
static int merge(struct entry *entry, const struct entry *other, enum tables_id id)
{
	struct tables_row *row = own_row(entry, id);
	int err = row == NULL ? -ENOMEM : 0;
	if (err == 0)
		row->count += other->row->count;
	for (unsigned i = 0; i < tables_set_hists(id) && err == 0; i++)
		err = tables_hist_merge(&row->hists[i], &other->row->hists[i]);
	return err;
}

/* Kernels that are shown by the same name become one. 0 or -ENOMEM. */
static int merge_same(struct entries *entries)
{
	struct entry *items = entries->items;
	size_t kept = 0;
	qsort(items, entries->count, sizeof(*items), compare_names);
	for (size_t i = 0; i < entries->count; i++) {
		bool same = kept > 0 && compare_names(&items[kept - 1], &items[i]) == 0;
		if (same && merge(&items[kept - 1], &items[i], entries->id) < 0)
			return -ENOMEM;
		if (same) {
			tables_row_free(items[i].merged, entries->id);
			items[i].merged = NULL;
		} else if (kept++ < i) {
			items[kept - 1] = items[i];
			items[i].merged = NULL; /* each is freed once */
		}
	}
	entries->count = kept;
	return 0;
}

/* What a row is sorted by: its time, how often it failed; devices and streams by their numbers. */
static uint64_t weight_of(enum tables_id id, const struct tables_row *row)
{
	if (id == TABLES_DEVICES || id == TABLES_STREAMS)
		return 0;
	return id == TABLES_FAILED_CALLS ? row->count : row->hists[0].sum;
}

/* A kernel of one shape, or a kind of copy, as an activity. 0 or -ENOMEM. */
static int add_activity(struct entries *entries, const struct tables_source *source,
	enum tables_id from, const struct tables_row *row)
{
	uint64_t key[TABLES_KEY];
	const struct record what =
		from == TABLES_KERNELS ? key_kernel(row->key) : key_copy(row->key);
	key_of_activity(&what, key);
	struct entry *entry = &entries->items[entries->count];
	entry->merged = tables_row_new(TABLES_GPU_ACTIVITIES, key);
	if (entry->merged == NULL)
		return -ENOMEM;
	entries->count++;
	entry->row = entry->merged;
	entry->merged->count = row->count;
	describe(source, TABLES_GPU_ACTIVITIES, entry);
	return tables_hist_merge(&entry->merged->hists[0], &row->hists[0]);
}

/* Rows of kernels and copies are activities as well, but for what did not fit. 0 or -ENOMEM. */
static int add_activities(struct entries *entries, const struct tables_source *source)
{
	static const enum tables_id parts[] = {TABLES_KERNELS, TABLES_COPIES};
	int err = 0;
	for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
		const struct tables_set *set = &source->tables->sets[parts[part]];
		for (size_t i = 0; i < set->rows.count && err == 0; i++)
			err = add_activity(entries, source, parts[part], set->rows.items[i]);
	}
	return err;
}

/* Rows of the set in the order of the view. 0 or -ENOMEM; release after either. */
static int collect(struct entries *entries, const struct tables_source *source)
{
	enum tables_id id = entries->id;
	const struct tables_set *sets = source->tables->sets, *set = &sets[id];
	size_t most = set->rows.count + 1;
	if (id == TABLES_GPU_ACTIVITIES)
		most += sets[TABLES_KERNELS].rows.count + sets[TABLES_COPIES].rows.count;
	entries->items = calloc(most, sizeof(*entries->items));
	if (entries->items == NULL)
		return -ENOMEM;
	for (size_t i = 0; i <= set->rows.count; i++) {
		struct entry *entry = &entries->items[entries->count];
		entry->row = i < set->rows.count ? set->rows.items[i] : set->others;
		if (entry->row == NULL)
			continue;
		describe(source, id, entry);
		entries->count++;
	}
	if (id == TABLES_GPU_ACTIVITIES && add_activities(entries, source) < 0)
		return -ENOMEM;
	if ((id == TABLES_GPU_ACTIVITIES || id == TABLES_KERNELS || id == TABLES_LAUNCHES) &&
		merge_same(entries) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < entries->count; i++)
		entries->items[i].weight = weight_of(id, entries->items[i].row);
	qsort(entries->items, entries->count, sizeof(*entries->items), compare_weights);
	return 0;
}

static void release(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		tables_row_free(entries->items[i].merged, entries->id);
	free(entries->items);
}

/* What shares of time refer to: all rows together; for devices and streams the time wanted. */
static uint64_t whole_of(const struct entries *entries, const struct tables *tables)
{
	uint64_t whole_ns = 0;
	if (entries->id == TABLES_DEVICES || entries->id == TABLES_STREAMS) {
		if (tables->span_ns > 0)
			return tables->span_ns;
		return tables->last_ns > tables->first_ns ? tables->last_ns - tables->first_ns : 0;
	}
	for (size_t i = 0; i < entries->count; i++)
		whole_ns += entries->items[i].weight;
	return whole_ns;
}

int tables_view_init(
	struct tables_view *view, const struct tables_source *source, enum tables_id id)
{
	struct entries entries = {.id = id};
	*view = (struct tables_view){.id = id};
	view->columns = tables_columns(id, &view->column_count);
	int err = collect(&entries, source);
	if (err == 0) {
		view->cells = calloc(entries.count * view->column_count + 1, sizeof(*view->cells));
		err = view->cells == NULL ? -ENOMEM : 0;
	}
	uint64_t whole_ns = whole_of(&entries, source->tables);
	for (size_t i = 0; i < entries.count && err == 0; i++)
		(void)tables_row_cells(source, id, entries.items[i].row, whole_ns,
			&view->cells[i * view->column_count]);
	view->rows = err == 0 ? entries.count : 0;
	release(&entries);
	return err;
}

void tables_view_release(struct tables_view *view)
{
	free(view->cells);
	*view = (struct tables_view){0};
}
