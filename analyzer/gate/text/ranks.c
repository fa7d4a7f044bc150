/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/text/ranks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/gate/text/row_text.h"
#include "collector/base/err.h"

#define RANK_LIMIT 65536u /* ranks; a larger number is a mistake */
#define STEPS      "steps"

void ranks_write_names(const struct baseline *baseline, struct out *out)
{
	size_t count = baseline->others.count;
	if (count == 0)
		return;
	int64_t from = baseline->rank, to = from;
	out_text(out, "run ranks =");
	for (size_t i = 0; i <= count; i++) {
		int64_t rank = i < count ? baseline->others.items[i].rank : -1;
		if (rank == to + 1) {
			to = rank;
			continue;
		}
		out_format(out, to > from ? " %" PRId64 "-%" PRId64 : " %" PRId64, from, to);
		from = to = rank;
	}
	out_char(out, '\n');
}

static bool same_row(const struct gate_row *a, const struct gate_row *b)
{
	return a->total == b->total && a->steps == b->steps && a->most == b->most &&
	       a->varies == b->varies;
}

/* Both write the same lines. */
static bool same_baseline(const struct baseline *a, const struct baseline *b)
{
	if (a->steps != b->steps || a->rows.count != b->rows.count || a->rank + 1 != b->rank)
		return false;
	for (size_t i = 0; i < a->rows.count; i++)
		if (strcmp(a->rows.items[i].key, b->rows.items[i].key) != 0 ||
			!same_row(&a->rows.items[i], &b->rows.items[i]))
			return false;
	return true;
}

/* What is not as in main, under the name of ranks. With other steps, that is everything. */
static void write_rows(const struct baseline *main, const struct baseline *other, const char *name,
	struct out *out)
{
	size_t i = 0, k = 0;
	bool whole = main->steps != other->steps;
	if (whole)
		out_format(out, "%s" STEPS " = %" PRIu64 "\n", name, other->steps);
	while (k < other->rows.count || (!whole && i < main->rows.count)) {
		const struct gate_row *was = i < main->rows.count ? &main->rows.items[i] : NULL;
		const struct gate_row *is = k < other->rows.count ? &other->rows.items[k] : NULL;
		int order = whole || was == NULL ? 1 : is == NULL ? -1 : strcmp(was->key, is->key);
		struct gate_row none = {
			.key = was != NULL ? was->key : NULL, .steps = other->steps};
		const struct gate_row *row = order < 0 ? &none : is;
		if (order != 0 || !same_row(was, is)) {
			out_text(out, name);
			row_write(row, out);
		}
		i += order <= 0;
		k += order >= 0;
	}
}

void ranks_write(const struct baseline *baseline, struct out *out)
{
	for (size_t i = 0, next; i < baseline->others.count; i = next) {
		const struct baseline *first = &baseline->others.items[i];
		char name[64];
		for (next = i + 1; next < baseline->others.count; next++)
			if (!same_baseline(&baseline->others.items[next - 1],
				    &baseline->others.items[next]))
				break;
		int64_t last = baseline->others.items[next - 1].rank;
		(void)snprintf(name, sizeof(name),
			last > first->rank ? "rank %" PRId64 "-%" PRId64 " " : "rank %" PRId64 " ",
			first->rank, last);
		write_rows(baseline, first, name, out);
	}
}

/* "3" or "0-7" before end. */
static bool read_range(const char *text, const char *end, uint64_t *ret_from, uint64_t *ret_to)
{
	const char *dash = memchr(text, '-', (size_t)(end - text));
	bool fine = row_read_number(text, dash != NULL ? dash : end, ret_from);
	*ret_to = *ret_from;
	if (fine && dash != NULL)
		fine = row_read_number(dash + 1, end, ret_to);
	return fine && *ret_from <= *ret_to && *ret_to < RANK_LIMIT;
}

int ranks_read_names(struct baseline *baseline, const char *value)
{
	uint64_t from, to;
	if (baseline->rank >= 0)
		return -ERR_BAD_VALUE;
	while (*value != '\0') {
		const char *end = value + strcspn(value, " ");
		if (!read_range(value, end, &from, &to))
			return -ERR_BAD_VALUE;
		for (; from <= to; from++) {
			size_t count = baseline->others.count;
			int64_t before =
				count > 0 ? baseline->others.items[count - 1].rank : baseline->rank;
			if ((int64_t)from <= before)
				return -ERR_BAD_VALUE;
			if (baseline->rank < 0)
				baseline->rank = (int64_t)from;
			else if (vec_push(&baseline->others,
					 (struct baseline){.rank = (int64_t)from}) < 0)
				return -ENOMEM;
		}
		value = *end != '\0' ? end + 1 : end;
	}
	return baseline->rank >= 0 ? 0 : -ERR_BAD_VALUE;
}

static int read_one(struct baseline *other, const char *key, const char *value, uint64_t steps)
{
	if (strcmp(key, STEPS) != 0)
		return row_read(&other->rows, key, value, steps);
	return other->steps == 0 && row_read_number(value, value + strlen(value), &other->steps) &&
			       other->steps > 0
		       ? 0
		       : -ERR_BAD_VALUE;
}

int ranks_read(struct baseline *baseline, const char *text, const char *value)
{
	const char *end = strchr(text, ' ');
	uint64_t from, to;
	size_t found = 0;
	int err = 0;
	if (end == NULL || !read_range(text, end, &from, &to))
		return -ERR_UNKNOWN_NAME;
	VEC_FOREACH (other, &baseline->others) {
		if (err < 0 || other->rank < (int64_t)from || other->rank > (int64_t)to)
			continue;
		found++;
		err = read_one(
			other, end + 1, value, other->steps > 0 ? other->steps : baseline->steps);
	}
	return err == 0 && found != to - from + 1 ? -ERR_BAD_VALUE : err;
}

/* Rows of main that the other has not said anything else of; both are sorted. */
static int inherit(const struct baseline *main, struct baseline *other)
{
	size_t own = other->rows.count, k = 0;
	int err = 0;
	for (size_t i = 0; i < main->rows.count && err == 0; i++) {
		const struct gate_row *row = &main->rows.items[i];
		while (k < own && strcmp(other->rows.items[k].key, row->key) < 0)
			k++;
		if (k == own || strcmp(other->rows.items[k].key, row->key) != 0)
			err = gate_rows_add(&other->rows, row->key, row);
	}
	return err;
}

/* Lines that the rank does not reach. */
static void drop_none(gate_rows *rows)
{
	size_t kept = 0;
	for (size_t i = 0; i < rows->count; i++) {
		struct gate_row *row = &rows->items[i];
		if (row->site && row->total == 0 && !row->varies)
			free(row->key);
		else
			rows->items[kept++] = *row;
	}
	rows->count = kept;
}

int ranks_complete(struct baseline *baseline)
{
	int err = 0;
	VEC_FOREACH (other, &baseline->others) {
		size_t count = other->rows.count;
		gate_rows_sort(&other->rows);
		if (err == 0 && other->rows.count != count)
			err = -ERR_BAD_VALUE;
		if (err == 0 && other->steps == 0)
			err = inherit(baseline, other);
		if (other->steps == 0)
			other->steps = baseline->steps;
		drop_none(&other->rows);
		gate_rows_sort(&other->rows);
		other->runs = baseline->runs;
		other->world_size = baseline->world_size;
	}
	return err;
}
