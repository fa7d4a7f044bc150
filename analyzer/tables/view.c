/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/tables/cells.h"
#include "analyzer/tables/feed.h"
#include "analyzer/tables/fill.h"
#include "analyzer/tables/store.h"

/* A row on its way into a view. */
struct entry {
	const char *label, *second;
	uint64_t rest[TABLES_KEY]; /* of the key, without a name that the label stands for */
	const struct tables_row *row;
	struct tables_row *merged; /* the row, when it was made here */
	uint64_t weight, group;    /* group: of all with that label, where these stay together */
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
	entry->second = tables_row_second(source, id, row);
	memcpy(entry->rest, row->key, sizeof(entry->rest));
	if (id == TABLES_GPU_ACTIVITIES || id == TABLES_LAUNCHES)
		entry->rest[1] = 0; /* the name */
	else if (id == TABLES_OPERATORS || id == TABLES_RANGES)
		entry->rest[0] = 0; /* the same */
	else if (id == TABLES_OPERATOR_KERNELS)
		entry->rest[0] = entry->rest[2] = 0; /* two of them */
	else if (id == TABLES_OPERATORS_BY_SHAPE)
		entry->rest[0] = entry->rest[1] = 0; /* the same */
	else if (id == TABLES_KERNELS)
		entry->rest[0] = key_kernel_registers(row->key);
}

static int compare_names(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->row->others != b->row->others)
		return a->row->others - b->row->others;
	int order = strcmp(a->label, b->label);
	if (order == 0)
		order = strcmp(a->second, b->second);
	for (unsigned i = 0; order == 0 && i < TABLES_KEY; i++)
		order = (a->rest[i] > b->rest[i]) - (a->rest[i] < b->rest[i]);
	return order;
}

static int compare_weights(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->row->others == b->row->others && a->group != b->group)
		return a->group > b->group ? -1 : 1;
	bool apart = a->group > 0 && strcmp(a->label, b->label) != 0;
	if (a->row->others != b->row->others || a->weight == b->weight || apart)
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
	entry->merged->sum_ns = row->sum_ns;
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
	if (err == 0) {
		row->count += other->row->count;
		row->sum_ns += other->row->sum_ns;
	}
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

/* What a row is sorted by: its time, how often it failed; what is a union of times by its key. */
static uint64_t weight_of(enum tables_id id, const struct tables_row *row)
{
	if (row->busy != NULL || id == TABLES_MEMORY || id == TABLES_THREADS)
		return 0;
	if (id == TABLES_LINES) /* calls lie inside of operators, where there are any */
		return row->hists[LINES_CALLS].sum > row->hists[LINES_OPERATORS].sum
			       ? row->hists[LINES_CALLS].sum
			       : row->hists[LINES_OPERATORS].sum;
	if (id == TABLES_MODULES)
		return row->hists[MODULES_SELF].sum;
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

/* Sorted by names, rows of one label lie beside each other. */
static void weigh_groups(struct entries *entries)
{
	struct entry *items = entries->items;
	for (size_t from = 0, to; from < entries->count; from = to) {
		uint64_t sum = 0;
		for (to = from;
			to < entries->count && strcmp(items[to].label, items[from].label) == 0 &&
			items[to].row->others == items[from].row->others;
			to++)
			sum += items[to].weight;
		for (size_t i = from; i < to; i++)
			items[i].group = sum;
	}
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
	if ((id == TABLES_GPU_ACTIVITIES || id == TABLES_KERNELS || id == TABLES_LAUNCHES ||
		    id == TABLES_OPERATORS || id == TABLES_OPERATORS_BY_SHAPE ||
		    id == TABLES_RANGES || id == TABLES_OPERATOR_KERNELS) &&
		merge_same(entries) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < entries->count; i++)
		entries->items[i].weight = weight_of(id, entries->items[i].row);
	if (id == TABLES_OPERATOR_KERNELS)
		weigh_groups(entries);
	qsort(entries->items, entries->count, sizeof(*entries->items), compare_weights);
	return 0;
}

static void release(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		tables_row_free(entries->items[i].merged, entries->id);
	free(entries->items);
}

/* What shares of time refer to: all rows together; for unions the time wanted. */
static uint64_t whole_of(const struct entries *entries, const struct tables *tables)
{
	uint64_t whole_ns = 0;
	bool seen = entries->id == TABLES_OVERVIEW;
	if (seen || entries->id == TABLES_DEVICES || entries->id == TABLES_STREAMS ||
		entries->id == TABLES_DISTRIBUTION) {
		uint64_t first_ns = seen ? tables->seen_begin_ns : tables->first_ns;
		uint64_t last_ns = seen ? tables->seen_end_ns : tables->last_ns;
		return tables->span_ns > 0  ? tables->span_ns
		       : last_ns > first_ns ? last_ns - first_ns
					    : 0;
	}
	for (size_t i = 0; i < entries->count; i++)
		whole_ns += entries->items[i].weight;
	return whole_ns;
}

static int copy_given(struct tables_view *view, const struct tables_given *given)
{
	size_t count = given->rows * view->column_count;
	view->cells = calloc(count + 1, sizeof(*view->cells));
	if (view->cells == NULL)
		return -ENOMEM;
	if (count > 0)
		memcpy(view->cells, given->cells, count * sizeof(*view->cells));
	view->rows = given->rows;
	return 0;
}

/* What rows are compared by. */
struct order {
	const struct tables_view *view;
	size_t column;
	bool ascending;
};

/* What is not known comes last; texts in their order; what is equal as it was. */
static int compare_rows(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const size_t x = *(const size_t *)left, y = *(const size_t *)right;
	const struct tables_cell *a = tables_cell(order->view, x, order->column);
	const struct tables_cell *b = tables_cell(order->view, y, order->column);
	int sign = 0;
	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->known && order->view->columns[order->column].type == TABLES_TEXT)
		sign = strcmp(a->text, b->text);
	else if (a->known && a->number != b->number)
		sign = ((int64_t)a->number > (int64_t)b->number) == order->ascending ? 1 : -1;
	return sign != 0 ? sign : x < y ? -1 : x > y;
}

/* The first rows in the order of a column, if the table has it. 0 or -ENOMEM. */
static int sort_rows(struct tables_view *view, const struct tables_source *source, size_t rows)
{
	struct order order = {
		.view = view, .ascending = source->sort != NULL && source->sort[0] == '+'};
	while (order.column < view->column_count &&
		(source->sort == NULL || strcmp(view->columns[order.column].name,
						 source->sort + order.ascending) != 0))
		order.column++;
	if (order.column == view->column_count || rows < 2)
		return 0;
	size_t *at = calloc(rows, sizeof(*at)), width = view->column_count;
	struct tables_cell *cells = calloc(view->rows * width + 1, sizeof(*cells));
	int err = at == NULL || cells == NULL ? -ENOMEM : 0;
	if (err == 0) {
		for (size_t i = 0; i < rows; i++)
			at[i] = i;
		qsort_r(at, rows, sizeof(*at), compare_rows, &order);
		memcpy(cells, view->cells, view->rows * width * sizeof(*cells));
		for (size_t i = 0; i < rows; i++)
			memcpy(&cells[i * width], tables_cell(view, at[i], 0),
				width * sizeof(*cells));
		free(view->cells);
		view->cells = cells;
		cells = NULL;
	}
	free(cells);
	free(at);
	return err;
}

/* Rows of records. 0 or -ENOMEM. */
static int make_rows(struct tables_view *view, const struct tables_source *source)
{
	struct entries entries = {.id = view->id};
	int err = collect(&entries, source);
	if (err == 0) {
		view->cells = calloc(entries.count * view->column_count + 1, sizeof(*view->cells));
		err = view->cells == NULL ? -ENOMEM : 0;
	}
	struct tables_whole whole = {.ns = whole_of(&entries, source->tables)};
	for (size_t i = 0; i < entries.count && err == 0; i++) {
		whole.group_ns = entries.items[i].group;
		(void)tables_row_cells(source, view->id, entries.items[i].row, &whole,
			&view->cells[i * view->column_count]);
	}
	view->rows = err == 0 ? entries.count : 0;
	bool others = view->rows > 0 && entries.items[view->rows - 1].row->others;
	release(&entries);
	return err < 0 ? err : sort_rows(view, source, view->rows - others);
}

int tables_view_init(
	struct tables_view *view, const struct tables_source *source, enum tables_id id)
{
	*view = (struct tables_view){.id = id};
	view->columns = tables_columns(id, &view->column_count);
	int err;
	switch (id) {
	case TABLES_WORKERS:
		err = copy_given(view, &source->workers);
		break;
	case TABLES_FILES:
		err = copy_given(view, &source->files);
		break;
	case TABLES_PROCESSES:
		err = copy_given(view, &source->processes);
		break;
	case TABLES_COLLECTIVES:
		err = copy_given(view, &source->collectives);
		break;
	case TABLES_COMPILED:
		err = operators_rows_compiled(view, source);
		break;
	case TABLES_PIPELINE:
		err = operators_rows_pipeline(view, source);
		break;
	case TABLES_STEP_TRACE:
	case TABLES_PERF_SUMMARY:
		err = steps_rows(view, source);
		break;
	default:
		return make_rows(view, source);
	}
	return err < 0 ? err : sort_rows(view, source, view->rows);
}

void tables_view_release(struct tables_view *view)
{
	free(view->cells);
	*view = (struct tables_view){0};
}
