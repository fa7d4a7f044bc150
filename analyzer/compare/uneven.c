/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/uneven.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_NOISE 0.005 /* per step: what is printed as the same number */

/* A row of one rank. */
struct entry {
	enum compare_part part;
	const struct compare_row *row;
	int64_t rank;
};
typedef VEC(struct entry) entry_list;

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* Rows of 0 are the same line or name and changed alike. */
static int compare_rows(const struct compare_row *a, const struct compare_row *b)
{
	int64_t changes[][2] = {
		{(int64_t)a->place.line, (int64_t)b->place.line},
		{(int64_t)a->state, (int64_t)b->state},
		{llround(compare_change(&a->count) * 100),
			llround(compare_change(&b->count) * 100)},
		{llround(compare_change(&a->bytes)), llround(compare_change(&b->bytes))},
	};
	int order = strcmp(a->name, b->name);
	if (order == 0)
		order = strcmp(a->place.path, b->place.path);
	if (order == 0)
		order = compare_texts(a->place.function, b->place.function);
	if (order == 0)
		order = compare_texts(a->place.op, b->place.op);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]) && order == 0; i++)
		order = (changes[i][0] > changes[i][1]) - (changes[i][0] < changes[i][1]);
	return order;
}

static int alike(const struct entry *a, const struct entry *b)
{
	return a->part != b->part ? (a->part > b->part) - (a->part < b->part)
				  : compare_rows(a->row, b->row);
}

static int by_row(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = alike(x, y);
	return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int add_rank(entry_list *entries, const struct comparison *comparison)
{
	int err = 0;
	for (unsigned part = 0; part < COMPARE_PART_COUNT; part++)
		for (size_t i = 0; i < comparison->rows[part].count && err == 0; i++) {
			const struct compare_row *row = &comparison->rows[part].items[i];
			struct entry entry = {(enum compare_part)part, row, comparison->base->rank};
			if (fabs(compare_change(&row->count)) > COUNT_NOISE ||
				fabs(compare_change(&row->bytes)) >= 1)
				err = vec_push(entries, entry);
		}
	return err;
}

static int by_cost(const void *a, const void *b)
{
	const struct compare_uneven *x = a, *y = b;
	double first = fabs(compare_change(&x->row->ns));
	double second = fabs(compare_change(&y->row->ns));
	if (x->part != y->part)
		return (x->part > y->part) - (x->part < y->part);
	return first != second ? (first < second) - (first > second) : compare_rows(x->row, y->row);
}

static int take(struct comparison *comparison, const entry_list *entries)
{
	size_t all = comparison->others.count + 1;
	int err = 0;
	for (size_t i = 0, next; i < entries->count && err == 0; i = next) {
		struct compare_uneven uneven = {.part = entries->items[i].part,
			.row = entries->items[i].row,
			.ranks = comparison->uneven_ranks.count};
		for (next = i; next < entries->count &&
			       alike(&entries->items[i], &entries->items[next]) == 0;
			next++)
			;
		for (size_t k = i; k < next && err == 0; k++)
			if (k == i || entries->items[k].rank != entries->items[k - 1].rank)
				err = vec_push(&comparison->uneven_ranks, entries->items[k].rank);
		uneven.rank_count = comparison->uneven_ranks.count - uneven.ranks;
		if (uneven.rank_count == all)
			comparison->uneven_ranks.count = uneven.ranks;
		else if (err == 0)
			err = vec_push(&comparison->uneven, uneven);
	}
	return err;
}

int uneven_find(struct comparison *comparison)
{
	entry_list entries = {0};
	int err = add_rank(&entries, comparison);
	VEC_FOREACH (other, &comparison->others)
		err = err < 0 ? err : add_rank(&entries, other);
	if (entries.count > 0)
		qsort(entries.items, entries.count, sizeof(entries.items[0]), by_row);
	if (err == 0)
		err = take(comparison, &entries);
	if (comparison->uneven.count > 0)
		qsort(comparison->uneven.items, comparison->uneven.count,
			sizeof(comparison->uneven.items[0]), by_cost);
	vec_release(&entries);
	return err;
}
