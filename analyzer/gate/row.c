/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/text/out.h"
#include "collector/base/err.h"

#define TOTAL_WORD "total "
#define SITE_WORD  "site "
#define NO_TEXT    "-"
#define MOST_PATH  400u
#define MOST_NAME  140u

/* What of a kind of site is counted, and how it is called. */
static const struct column {
	const char *kind, *what;
	enum {
		CALLS,
		BYTES,
		PAGEABLE
	} value;
} columns[] = {
	{"sync", "syncs", CALLS},
	{"sync", "sync_bytes", BYTES},
	{"copy_in", "copies_in", CALLS},
	{"copy_in", "copies_in_bytes", BYTES},
	{"copy_in", "copies_in_pageable", PAGEABLE},
	{"copy_async", "copies_async", CALLS},
	{"copy_async", "copies_async_bytes", BYTES},
	{"launch", "launches", CALLS},
};

/* What is counted of the run as a whole. */
static const char *const totals[] = {"allocations", "collectives", "copies", "copies_pageable",
	"graph_launches", "launches", "syncs", "to_device_bytes", "to_host_bytes"};

static bool is_total(const char *name)
{
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		if (strcmp(totals[i], name) == 0)
			return true;
	return false;
}

static bool is_column(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (strlen(columns[i].what) == size && memcmp(columns[i].what, name, size) == 0)
			return true;
	return false;
}

void gate_rows_release(gate_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].key);
	vec_release(rows);
}

/* Of a text's next character: the bytes that stand as they are, 0: it is to be escaped. */
static size_t plain_length(const char *text, bool separators)
{
	if (out_control(text) != 0 || (!separators && *text == '|'))
		return 0;
	return out_utf8_length(text);
}

size_t row_plain(const char *text, bool separators, char *ret_text, size_t size)
{
	size_t used = 0;
	while (*text != '\0') {
		size_t plain = plain_length(text, separators);
		size_t bytes = plain > 0 ? plain : out_control(text) > 0 ? out_control(text) : 1;
		if (used + (plain > 0 ? plain : 4 * bytes) >= size)
			break;
		for (size_t i = 0; i < bytes; i++, text++)
			if (plain > 0)
				ret_text[used++] = *text;
			else
				used += (size_t)snprintf(ret_text + used, size - used, "\\x%02x",
					(unsigned char)*text);
	}
	ret_text[used] = '\0';
	return used;
}

/* most: bytes of it, so that there is room for what follows. */
static void add_text(char *key, size_t *used, const char *text, size_t most, bool separators)
{
	size_t room = ROW_KEY - *used;
	text = text != NULL && text[0] != '\0' ? text : NO_TEXT;
	*used += row_plain(text, separators, key + *used, most < room ? most : room);
}

static void add_separator(char *key, size_t *used)
{
	if (*used + sizeof(ROW_SEP) < ROW_KEY)
		*used += (size_t)snprintf(key + *used, ROW_KEY - *used, ROW_SEP);
}

static int push(gate_rows *rows, const char *key, const struct gate_row *about)
{
	struct gate_row row = *about;
	row.key = strdup(key);
	if (row.key != NULL && vec_push(rows, row) == 0)
		return 0;
	free(row.key);
	return -ENOMEM;
}

/*
 * The line that allocates most: which of these calls have a line depends on how long they took, so
 * they are counted for the run as a whole.
 */
static struct summary_place allocating(const struct summary *summary)
{
	const struct summary_site *best = NULL;
	for (size_t i = 0; i < summary->sites.count; i++) {
		const struct summary_site *site = &summary->sites.items[i];
		if (strcmp(site->kind, "alloc") == 0 && site->place.line > 0 &&
			(best == NULL || site->count > best->count))
			best = site;
	}
	return best != NULL ? best->place : (struct summary_place){0};
}

static int add_total(gate_rows *rows, const struct summary *summary, size_t index)
{
	const struct summary_total *total = &summary->totals.items[index];
	char key[ROW_KEY];
	(void)snprintf(key, sizeof(key), TOTAL_WORD "%.200s", total->name);
	struct gate_row row = {.stem = strlen(key),
		.total = total->count,
		.most = total->most,
		.steps = summary->steps};
	if (strcmp(total->name, "allocations") == 0)
		row.place = allocating(summary);
	return strcmp(total->name, "operators") != 0 ? push(rows, key, &row) : 0;
}

/* Native code has no lines, and its functions change their names with each build. */
static bool is_native(const struct summary_site *site)
{
	return site->place.line == 0;
}

static int add_site(gate_rows *rows, const struct summary *summary, const struct summary_site *site,
	const struct column *column)
{
	char key[ROW_KEY];
	size_t used = 0;
	uint64_t total = column->value == CALLS   ? site->count
			 : column->value == BYTES ? site->bytes
						  : site->pageable;
	if (total == 0 || strcmp(column->kind, site->kind) != 0)
		return 0;
	const char *base = strrchr(site->place.path, '/');
	bool native = is_native(site);
	add_text(key, &used, SITE_WORD, MOST_NAME, false);
	add_text(key, &used, column->what, MOST_NAME, false);
	add_separator(key, &used);
	add_text(
		key, &used, native && base != NULL ? base + 1 : site->place.path, MOST_PATH, false);
	add_separator(key, &used);
	add_text(key, &used, native ? NULL : site->place.function, MOST_NAME, false);
	add_separator(key, &used);
	add_text(key, &used, site->place.op, MOST_NAME, false);
	if (site->library != NULL) {
		add_text(key, &used, " in ", MOST_NAME, false);
		add_text(key, &used, site->library, MOST_NAME, false);
	}
	add_separator(key, &used);
	struct gate_row row = {.stem = used,
		.site = true,
		.total = total,
		.most = column->value == BYTES ? site->most_bytes : site->most_count,
		.largest = total,
		.lines = 1,
		.steps = summary->steps,
		.place = site->place};
	add_text(key, &used, native ? NULL : site->source, ROW_KEY, true);
	return push(rows, key, &row);
}

int gate_rows_of(gate_rows *rows, const struct summary *summary)
{
	int err = 0;
	for (size_t i = 0; i < summary->totals.count && err == 0; i++)
		err = add_total(rows, summary, i);
	for (size_t i = 0; i < summary->sites.count && err == 0; i++)
		for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]) && err == 0; k++)
			err = add_site(rows, summary, &summary->sites.items[i], &columns[k]);
	gate_rows_sort(rows);
	return err;
}

/* The parts of a site's key, of which the source text is the fifth and may hold anything. */
static size_t stem_of(const char *key, const char *ret_parts[4], size_t ret_sizes[4])
{
	const char *at = key + strlen(SITE_WORD);
	for (unsigned i = 0; i < 4; i++) {
		const char *end = strstr(at, ROW_SEP);
		if (end == NULL)
			return 0;
		ret_parts[i] = at;
		ret_sizes[i] = (size_t)(end - at);
		at = end + strlen(ROW_SEP);
	}
	return (size_t)(at - key);
}

int gate_rows_add(gate_rows *rows, const char *key, const struct gate_row *about)
{
	struct gate_row row = {.total = about->total,
		.most = about->most,
		.steps = about->steps,
		.varies = about->varies};
	const char *parts[4];
	size_t sizes[4];
	if (strncmp(key, TOTAL_WORD, strlen(TOTAL_WORD)) == 0) {
		row.stem = strlen(key);
		return is_total(key + strlen(TOTAL_WORD)) ? push(rows, key, &row)
							  : -ERR_UNKNOWN_NAME;
	}
	row.site = strncmp(key, SITE_WORD, strlen(SITE_WORD)) == 0;
	row.stem = row.site ? stem_of(key, parts, sizes) : 0;
	if (row.stem == 0)
		return -ERR_BAD_VALUE;
	if (!is_column(parts[0], sizes[0]))
		return -ERR_UNKNOWN_NAME;
	(void)snprintf(row.place.path, sizeof(row.place.path), "%.*s", (int)sizes[1], parts[1]);
	return push(rows, key, &row);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct gate_row *)a)->key, ((const struct gate_row *)b)->key);
}

const char *gate_rows_twice(gate_rows *rows)
{
	if (rows->count > 0)
		qsort(rows->items, rows->count, sizeof(rows->items[0]), by_key);
	for (size_t i = 1; i < rows->count; i++)
		if (strcmp(rows->items[i].key, rows->items[i - 1].key) == 0)
			return rows->items[i].key;
	return NULL;
}

void gate_rows_sort(gate_rows *rows)
{
	size_t kept = 0;
	if (rows->count > 0)
		qsort(rows->items, rows->count, sizeof(rows->items[0]), by_key);
	for (size_t i = 0; i < rows->count; i++) {
		struct gate_row *row = &rows->items[i];
		struct gate_row *last = kept > 0 ? &rows->items[kept - 1] : NULL;
		if (last == NULL || strcmp(last->key, row->key) != 0) {
			rows->items[kept++] = *row;
			continue;
		}
		last->total += row->total;
		last->lines += row->lines;
		last->most = last->most > 0 && row->most > 0 ? last->most + row->most : 0;
		if (row->largest > last->largest) {
			last->largest = row->largest;
			last->place = row->place;
		}
		free(row->key);
	}
	rows->count = kept;
}

const char *row_what(const struct gate_row *row, char *buffer, size_t size)
{
	const char *at = row->key + strlen(row->site ? SITE_WORD : TOTAL_WORD);
	const char *end = row->site ? strstr(at, ROW_SEP) : NULL;
	(void)snprintf(buffer, size, "%.*s", end != NULL ? (int)(end - at) : 200, at);
	return buffer;
}

bool row_has_source(const struct gate_row *row)
{
	return row->site && strcmp(row->key + row->stem, NO_TEXT) != 0;
}

bool row_same_stem(const struct gate_row *a, const struct gate_row *b)
{
	return a->stem == b->stem && memcmp(a->key, b->key, a->stem) == 0;
}

int row_compare_text(const struct gate_row *a, const struct gate_row *b)
{
	static const unsigned parts[] = {0, 3}; /* what, operator */
	const char *first[4], *second[4];
	size_t sizes[4], others[4];
	if (!a->site || !b->site || stem_of(a->key, first, sizes) == 0 ||
		stem_of(b->key, second, others) == 0)
		return strcmp(a->key, b->key);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t x = sizes[parts[i]], y = others[parts[i]];
		int order = memcmp(first[parts[i]], second[parts[i]], x < y ? x : y);
		if (order != 0 || x != y)
			return order != 0 ? order : x < y ? -1 : 1;
	}
	return strcmp(a->key + a->stem, b->key + b->stem);
}

bool row_is_even(const struct gate_row *row)
{
	return row->steps > 0 && row->total % row->steps == 0 &&
	       (row->most == 0 || row->total / row->steps == row->most);
}

bool row_differs(const struct gate_row *a, const struct gate_row *b)
{
	__uint128_t left = (__uint128_t)a->total * b->steps,
		    right = (__uint128_t)b->total * a->steps;
	if (left == right)
		return false;
	if (a->steps == b->steps || a->steps == 0 || b->steps == 0 ||
		(row_is_even(a) && row_is_even(b)))
		return true;
	double x = (double)a->total / (double)a->steps, y = (double)b->total / (double)b->steps;
	double ends = 1.0 / (double)a->steps + 1.0 / (double)b->steps;
	/* not known of old reports: then of a large number one time more is a share of it */
	double most = fmax(fmax(x, y), fmax(1, fmax((double)a->most, (double)b->most)));
	return fabs(x - y) >= ends * most;
}
