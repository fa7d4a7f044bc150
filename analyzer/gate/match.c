/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/match.h"

#include <stdlib.h>
#include <string.h>

#define ALIKE_NEAR 64u /* lines that read alike, of which one is looked for */

typedef VEC(const struct gate_row *) row_list;

/* What has no partner of the same text, of one function and operator on both sides. */
struct left_over {
	row_list was, is;
	match_pairs *pairs;
	uint64_t was_steps, is_steps;
};

/* was and is stand for rows that come to these. */
static int add_pair(struct left_over *left, const struct gate_row *was, const struct gate_row *is,
	struct gate_row was_all, struct gate_row is_all)
{
	bool varies = (was != NULL && was->varies) || (is != NULL && is->varies);
	was_all.steps = left->was_steps;
	is_all.steps = left->is_steps;
	if (varies || !row_differs(&was_all, &is_all))
		return 0;
	return vec_push(left->pairs,
		((struct match_pair){was, is, was_all.total, is_all.total, is_all.lines}));
}

static int add_rows(struct left_over *left, const struct gate_row *was, const struct gate_row *is)
{
	const struct gate_row none = {0};
	return add_pair(left, was, is, was != NULL ? *was : none, is != NULL ? *is : none);
}

static struct gate_row sum(const row_list *rows, const struct gate_row **ret_largest)
{
	struct gate_row all = {0};
	bool known = true;
	for (size_t i = 0; i < rows->count; i++) {
		const struct gate_row *row = rows->items[i];
		if (*ret_largest == NULL || row->total > (*ret_largest)->total)
			*ret_largest = row;
		all.total += row->total;
		all.most += row->most;
		all.lines += row->lines;
		known &= row->most > 0;
	}
	all.most = known ? all.most : 0;
	return all;
}

static bool any_without_source(const row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!row_has_source(rows->items[i]))
			return true;
	return false;
}

static bool any_varies(const row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i]->varies)
			return true;
	return false;
}

static void drop(row_list *rows, size_t index)
{
	rows->count--;
	for (size_t i = index; i < rows->count; i++)
		rows->items[i] = rows->items[i + 1];
}

/* Lines that do as much as before are those, whatever their text is now. */
static void drop_equal(struct left_over *left)
{
	for (size_t i = 0; i < left->was.count;) {
		size_t k = 0;
		while (k < left->is.count && row_differs(left->was.items[i], left->is.items[k]))
			k++;
		if (k == left->is.count) {
			i++;
			continue;
		}
		drop(&left->was, i);
		drop(&left->is, k);
	}
}

/*
 * What varies and is no more may be any of the lines that are new, one each: of more new lines than
 * were there at least one is none of them.
 */
static void drop_varying(struct left_over *left)
{
	if (!any_varies(&left->was) && !any_varies(&left->is))
		return;
	if (left->is.count <= left->was.count) {
		left->was.count = left->is.count = 0;
		return;
	}
	for (size_t i = 0; i < left->was.count;)
		if (left->was.items[i]->varies)
			drop(&left->was, i);
		else
			i++;
}

/* The lines of one function and operator are all there: settle them. */
static int settle(struct left_over *left)
{
	int err = 0;
	bool blind = any_without_source(&left->was) || any_without_source(&left->is);
	if (blind && left->was.count > 0 && left->is.count > 0) {
		/* without the text of their lines only the sum can be told */
		const struct gate_row *was = NULL, *is = NULL;
		bool varies = any_varies(&left->was) || any_varies(&left->is);
		struct gate_row was_all = sum(&left->was, &was), is_all = sum(&left->is, &is);
		err = varies ? 0 : add_pair(left, was, is, was_all, is_all);
	} else {
		drop_equal(left);
		drop_varying(left);
		for (size_t i = 0; (i < left->was.count || i < left->is.count) && err == 0; i++)
			err = add_rows(left, i < left->was.count ? left->was.items[i] : NULL,
				i < left->is.count ? left->is.items[i] : NULL);
	}
	left->was.count = left->is.count = 0;
	return err;
}

/* The next row of both sides, which are in the order of their keys; NULL: the side has none. */
struct both {
	const struct gate_row *was, *is;
};

static struct both next_of(const row_list *was, const row_list *is, size_t *at, size_t *other)
{
	const struct gate_row *a = *at < was->count ? was->items[*at] : NULL;
	const struct gate_row *b = *other < is->count ? is->items[*other] : NULL;
	int order = a == NULL ? 1 : b == NULL ? -1 : strcmp(a->key, b->key);
	*at += order <= 0;
	*other += order >= 0;
	return (struct both){order <= 0 ? a : NULL, order >= 0 ? b : NULL};
}

/* Rows without partner, those of each function and operator together. */
static int settle_all(struct left_over *left, const row_list *was, const row_list *is)
{
	size_t i = 0, k = 0;
	int err = 0;
	const struct gate_row *last = NULL;
	while ((i < was->count || k < is->count) && err == 0) {
		struct both both = next_of(was, is, &i, &k);
		const struct gate_row *row = both.was != NULL ? both.was : both.is;
		if (last != NULL && !row_same_stem(last, row))
			err = settle(left);
		if (err == 0 && both.was != NULL)
			err = vec_push(&left->was, both.was);
		if (err == 0 && both.is != NULL)
			err = vec_push(&left->is, both.is);
		last = row;
	}
	return err == 0 ? settle(left) : err;
}

static int push_all(row_list *list, const gate_rows *rows)
{
	int err = 0;
	for (size_t i = 0; i < rows->count && err == 0; i++)
		err = vec_push(list, &rows->items[i]);
	return err;
}

/* Rows of the same key are one another's; keeps what has no partner. */
static int pair_keys(struct left_over *left, row_list *was, row_list *is)
{
	size_t i = 0, k = 0, was_kept = 0, is_kept = 0;
	int err = 0;
	while ((i < was->count || k < is->count) && err == 0) {
		struct both both = next_of(was, is, &i, &k);
		const struct gate_row *row = both.was != NULL ? both.was : both.is;
		if (both.was != NULL && both.is != NULL && (row_has_source(row) || !row->site)) {
			err = add_rows(left, both.was, both.is);
			continue;
		}
		if (both.was != NULL)
			was->items[was_kept++] = both.was;
		if (both.is != NULL)
			is->items[is_kept++] = both.is;
	}
	was->count = was_kept;
	is->count = is_kept;
	return err;
}

static int by_text(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a;
	const struct gate_row *y = *(const struct gate_row *const *)b;
	int order = row_compare_text(x, y);
	return order != 0 ? order : strcmp(x->key, y->key);
}

static int by_key(const void *a, const void *b)
{
	return strcmp((*(const struct gate_row *const *)a)->key,
		(*(const struct gate_row *const *)b)->key);
}

static void sort(row_list *rows, int (*compare)(const void *, const void *))
{
	if (rows->count > 0)
		qsort(rows->items, rows->count, sizeof(struct gate_row *), compare);
}

/* Rows from index begin on that read alike; rows without a text are alone. */
static size_t alike_until(const row_list *rows, size_t begin)
{
	size_t i = begin + 1;
	while (i < rows->count && row_has_source(rows->items[begin]) &&
		row_compare_text(rows->items[begin], rows->items[i]) == 0)
		i++;
	return i;
}

/*
 * Lines that read alike on both sides: a pair each of those that do as much, and of the only one
 * on either side. Those that found a partner become NULL.
 */
static int pair_alike(struct left_over *left, const struct gate_row **was, size_t was_count,
	const struct gate_row **is, size_t is_count)
{
	if (was_count == 1 && is_count == 1) {
		int err = add_rows(left, *was, *is);
		*was = *is = NULL;
		return err;
	}
	for (size_t i = 0; i < was_count; i++)
		for (size_t k = 0; k < is_count && k < i + ALIKE_NEAR; k++) {
			if (is[k] == NULL || row_differs(was[i], is[k]))
				continue;
			was[i] = is[k] = NULL;
			break;
		}
	return 0;
}

static void drop_paired(row_list *rows)
{
	size_t kept = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i] != NULL)
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
	sort(rows, by_key);
}

/* A line that went to another function or file, or whose function or file has another name now. */
static int pair_moved(struct left_over *left, row_list *was, row_list *is)
{
	size_t i = 0, k = 0;
	int err = 0;
	sort(was, by_text);
	sort(is, by_text);
	while (i < was->count && k < is->count && err == 0) {
		const struct gate_row *a = was->items[i], *b = is->items[k];
		size_t i_next = alike_until(was, i), k_next = alike_until(is, k);
		int order = row_compare_text(a, b);
		if (order == 0 && row_has_source(a) && row_has_source(b))
			err = pair_alike(
				left, &was->items[i], i_next - i, &is->items[k], k_next - k);
		i = order <= 0 ? i_next : i;
		k = order >= 0 ? k_next : k;
	}
	drop_paired(was);
	drop_paired(is);
	return err;
}

int match_rows(const gate_rows *was, const gate_rows *is, uint64_t was_steps, uint64_t is_steps,
	match_pairs *ret_pairs)
{
	struct left_over left = {.pairs = ret_pairs, .was_steps = was_steps, .is_steps = is_steps};
	row_list before = {0}, now = {0};
	int err = push_all(&before, was);
	if (err == 0)
		err = push_all(&now, is);
	if (err == 0)
		err = pair_keys(&left, &before, &now);
	if (err == 0)
		err = pair_moved(&left, &before, &now);
	if (err == 0)
		err = settle_all(&left, &before, &now);
	vec_release(&left.was);
	vec_release(&left.is);
	vec_release(&before);
	vec_release(&now);
	return err;
}
