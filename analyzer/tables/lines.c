/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"

#include <string.h>

#include "analyzer/tables/store.h"

#define PLACES_LIMIT (1u << 20) /* by number; what lies above is looked up each time */

static uint64_t length_of(const struct record *record)
{
	return record->end > record->begin ? record->end - record->begin : 0;
}

/* The line as the user knows it: the innermost frame outside of packages, where there is one. */
static void key_of_place(
	const struct tables *tables, uint32_t place_id, uint64_t ret_key[TABLES_KEY])
{
	const struct meta_PLACE *place = place_id != 0 && tables->lookup.place != NULL
						 ? lookup_place(&tables->lookup, place_id)
						 : NULL;
	if (place == NULL)
		key_of_line(0, 0, 0, ret_key);
	else if (place->user_file != 0)
		key_of_line(place->user_file, place->user_function, place->user_line, ret_key);
	else
		key_of_line(place->file, place->function, place->line, ret_key);
}

struct tables_row *lines_row(struct tables *tables, uint32_t place)
{
	uint64_t key[TABLES_KEY];
	if (place < tables->lines_by_place.count && tables->lines_by_place.items[place] != NULL)
		return tables->lines_by_place.items[place];
	key_of_place(tables, place, key);
	struct tables_row *row = tables_set_find(&tables->sets[TABLES_LINES], TABLES_LINES, key);
	if (row == NULL || place >= PLACES_LIMIT)
		return row;
	size_t count = tables->lines_by_place.count;
	if (place >= count) {
		if (vec_reserve(&tables->lines_by_place, (size_t)place + 1) < 0)
			return NULL;
		memset(&tables->lines_by_place.items[count], 0,
			(place + 1 - count) * sizeof(struct tables_row *));
		tables->lines_by_place.count = (size_t)place + 1;
	}
	return tables->lines_by_place.items[place] = row;
}

/* Which of the more exact sums a call belongs to; LINES_CALLS: none. */
static enum lines_hist hist_of(const struct record *call)
{
	switch (call->kind) {
	case RECORD_LAUNCH:
	case RECORD_GRAPH:
		return LINES_LAUNCHES;
	case RECORD_COPY:
		return LINES_COPIES;
	case RECORD_SYNC:
		return LINES_SYNCS;
	case RECORD_ALLOC:
		return LINES_ALLOCATIONS;
	default:
		return LINES_CALLS;
	}
}

/* row may be NULL: no memory. */
static int count_call(struct tables_row *row, const struct record *call)
{
	enum lines_hist hist = hist_of(call);
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	int err = tables_hist_add(&row->hists[LINES_CALLS], length_of(call));
	return err < 0 || hist == LINES_CALLS ? err
					      : tables_hist_add(&row->hists[hist], length_of(call));
}

int lines_call(struct tables *tables, const struct record *call)
{
	return count_call(lines_row(tables, call->place), call);
}

int lines_op(struct tables *tables, const struct record *op, uint64_t self_ns)
{
	struct tables_row *row = lines_row(tables, op->place);
	return row == NULL ? -ENOMEM : tables_hist_add(&row->hists[LINES_OPERATORS], self_ns);
}

int lines_pair(struct tables *tables, const struct record *call, const struct record *operation)
{
	struct tables_row *row = lines_row(tables, call->place);
	return row == NULL ? -ENOMEM
			   : tables_hist_add(&row->hists[LINES_DEVICE], length_of(operation));
}

/* NULL: no memory. */
static struct tables_row *row_of_thread(struct tables *tables, uint32_t thread)
{
	const uint64_t key[TABLES_KEY] = {thread};
	struct tables_row *row = tables->last_thread;
	if (row == NULL || row->key[0] != thread || row->others)
		row = tables_set_find(&tables->sets[TABLES_THREADS], TABLES_THREADS, key);
	return tables->last_thread = row;
}

int lines_thread_call(struct tables *tables, const struct record *call)
{
	return count_call(row_of_thread(tables, tables->thread), call);
}

int lines_thread_op(struct tables *tables, uint32_t thread, uint64_t self_ns)
{
	struct tables_row *row = row_of_thread(tables, thread);
	return row == NULL ? -ENOMEM : tables_hist_add(&row->hists[LINES_OPERATORS], self_ns);
}

int lines_thread_work(struct tables *tables, uint32_t thread, const struct record *operation)
{
	struct tables_row *row = row_of_thread(tables, thread);
	return row == NULL ? -ENOMEM
			   : tables_hist_add(&row->hists[LINES_DEVICE], length_of(operation));
}
