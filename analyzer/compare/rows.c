/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_NOISE 0.005  /* per step: what is printed as the same number */
#define TIME_NOISE  0.10   /* of a row's time, and */
#define TIME_LEAST  1000.0 /* ns per step, that it may differ by without being another */
#define KEY_BYTES   1024u
#define EDITED_NEAR 64u /* rows, by their keys */

/* A row of one run. */
struct entry {
	char *key;
	bool next; /* side */
	struct compare_row row;
	double count, bytes, ns; /* per step and run of its side */
	bool timed;
};
typedef VEC(struct entry) entry_list;

static int add(entry_list *entries, const char *key, const struct entry *about)
{
	struct entry entry = *about;
	entry.key = strdup(key);
	if (entry.key != NULL && vec_push(entries, entry) == 0)
		return 0;
	free(entry.key);
	return -ENOMEM;
}

static int add_sites(
	entry_list *entries, const struct summary *run, double weight, bool next, bool blind)
{
	char key[KEY_BYTES];
	int err = 0;
	for (size_t i = 0; i < run->sites.count && err == 0; i++) {
		const struct summary_site *site = &run->sites.items[i];
		const struct summary_place *place = &site->place;
		struct entry entry = {.next = next,
			.row = {.name = site->kind, .place = *place},
			.count = (double)site->count * weight,
			.bytes = (double)site->bytes * weight,
			.ns = (double)site->host_ns * weight,
			.timed = true};
		(void)snprintf(key, sizeof(key), "%s\n%s\n%s\n%s\n%s\n%s", site->kind, place->path,
			place->function != NULL ? place->function : "",
			place->op != NULL ? place->op : "",
			site->library != NULL ? site->library : "",
			site->source != NULL && !blind ? site->source : "");
		err = add(entries, key, &entry);
	}
	return err;
}

static int add_table(entry_list *entries, const struct summary *run, enum summary_table table,
	double weight, bool next)
{
	bool device = table == SUMMARY_KERNELS || table == SUMMARY_COPIES;
	int err = 0;
	for (size_t i = 0; i < run->rows[table].count && err == 0; i++) {
		const struct summary_row *row = &run->rows[table].items[i];
		struct entry entry = {.next = next,
			.row = {.name = row->name},
			.count = (double)row->count * weight,
			.bytes = (double)row->bytes * weight,
			.ns = (double)row->host_ns * weight,
			.timed = true};
		if (device) {
			entry.timed = row->device_mean_ns != SUMMARY_UNKNOWN;
			entry.ns = (double)row->device_mean_ns * (double)row->count * weight;
		}
		err = add(entries, row->name, &entry);
	}
	return err;
}

/* The text of some line is not known: then no text is looked at. */
static bool is_blind(const struct summary *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].sites.count; k++)
			if (runs[i].sites.items[k].place.line > 0 &&
				runs[i].sites.items[k].source == NULL)
				return true;
	return false;
}

static int add_runs(entry_list *entries, enum compare_part part, const struct summary *runs,
	size_t count, bool next, bool blind)
{
	int err = 0;
	for (size_t i = 0; i < count && err == 0; i++) {
		double weight = 1.0 / (double)runs[i].steps / (double)count;
		err = part == COMPARE_SITES
			      ? add_sites(entries, &runs[i], weight, next, blind)
			      : add_table(entries, &runs[i],
					(enum summary_table)(part - COMPARE_OPERATORS), weight,
					next);
	}
	return err;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static enum compare_state state_of(const struct compare_row *row)
{
	double count = compare_change(&row->count), bytes = compare_change(&row->bytes);
	double ns = compare_change(&row->ns), most = fmax(row->ns.base, row->ns.next);
	if (row->count.base <= 0)
		return COMPARE_NEW;
	if (row->count.next <= 0)
		return COMPARE_GONE;
	if (fabs(count) > COUNT_NOISE)
		return count > 0 ? COMPARE_WORSE : COMPARE_BETTER;
	if (fabs(bytes) > COUNT_NOISE)
		return bytes > 0 ? COMPARE_WORSE : COMPARE_BETTER;
	if (row->ns.known && fabs(ns) > TIME_LEAST && fabs(ns) > TIME_NOISE * most)
		return ns > 0 ? COMPARE_WORSE : COMPARE_BETTER;
	return COMPARE_SAME;
}

/* The entries of one key, of both sides. */
static struct compare_row sum_up(const struct entry *entries, size_t count)
{
	struct compare_row row = entries[0].row;
	row.count.known = row.bytes.known = row.ns.known = true;
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		*(entry->next ? &row.count.next : &row.count.base) += entry->count;
		*(entry->next ? &row.bytes.next : &row.bytes.base) += entry->bytes;
		*(entry->next ? &row.ns.next : &row.ns.base) += entry->ns;
		row.ns.known = row.ns.known && entry->timed;
		if (entry->next)
			row.place = entry->row.place;
	}
	row.state = state_of(&row);
	return row;
}

/* By the time that changed, then by the count. */
static int by_cost(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	double first = fabs(compare_change(&x->ns)), second = fabs(compare_change(&y->ns));
	if (first == second) {
		first = fabs(compare_change(&x->count));
		second = fabs(compare_change(&y->count));
	}
	return first != second ? (first < second) - (first > second) : strcmp(x->name, y->name);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* One is new and does what the other did, in its function: its text was changed. */
static bool is_edited(const struct compare_row *a, const struct compare_row *b)
{
	const struct compare_row *gone = a->state == COMPARE_GONE ? a : b;
	const struct compare_row *next = a->state == COMPARE_GONE ? b : a;
	return gone->state == COMPARE_GONE && next->state == COMPARE_NEW &&
	       fabs(gone->count.base - next->count.next) <= COUNT_NOISE &&
	       fabs(gone->bytes.base - next->bytes.next) <= COUNT_NOISE &&
	       strcmp(a->name, b->name) == 0 && strcmp(a->place.path, b->place.path) == 0 &&
	       same_text(a->place.function, b->place.function) &&
	       same_text(a->place.op, b->place.op);
}

/* Lines whose text alone changed are no change; rows are in the order of their keys. */
static void drop_edited(struct compare_row *rows, size_t *count)
{
	size_t kept = 0;
	for (size_t i = 0; i < *count; i++)
		for (size_t k = i + 1; k < *count && k < i + EDITED_NEAR; k++)
			if (is_edited(&rows[i], &rows[k]))
				rows[i].state = rows[k].state = COMPARE_SAME;
	for (size_t i = 0; i < *count; i++)
		if (rows[i].state != COMPARE_SAME)
			rows[kept++] = rows[i];
	*count = kept;
}

static int take_rows(struct comparison *comparison, enum compare_part part, entry_list *entries)
{
	int err = 0;
	if (entries->count > 0)
		qsort(entries->items, entries->count, sizeof(entries->items[0]), by_key);
	for (size_t i = 0, next; i < entries->count && err == 0; i = next) {
		next = i + 1;
		while (next < entries->count &&
			strcmp(entries->items[i].key, entries->items[next].key) == 0)
			next++;
		struct compare_row row = sum_up(&entries->items[i], next - i);
		if (row.state != COMPARE_SAME)
			err = vec_push(&comparison->rows[part], row);
	}
	if (part == COMPARE_SITES)
		drop_edited(comparison->rows[part].items, &comparison->rows[part].count);
	if (comparison->rows[part].count > 0)
		qsort(comparison->rows[part].items, comparison->rows[part].count,
			sizeof(comparison->rows[part].items[0]), by_cost);
	return err;
}

int rows_compare(struct comparison *comparison, enum compare_part part, const struct summary *base,
	const struct summary *next)
{
	entry_list entries = {0};
	bool blind = part == COMPARE_SITES && (is_blind(base, comparison->base_runs) ||
						      is_blind(next, comparison->next_runs));
	int err = add_runs(&entries, part, base, comparison->base_runs, false, blind);
	if (err == 0)
		err = add_runs(&entries, part, next, comparison->next_runs, true, blind);
	if (err == 0)
		err = take_rows(comparison, part, &entries);
	for (size_t i = 0; i < entries.count; i++)
		free(entries.items[i].key);
	vec_release(&entries);
	return err;
}
