/* SPDX-License-Identifier: MIT */
/*
 * Rows of a time line: the steps, the findings, one for each thread, one for each stream of a
 * device, one for the waits of each device, and one for each thread that the device side's
 * interface reports. Each has one lane and more where events overlap (lanes.h).
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_EXPORT_ROWS_H
#define ANALYZER_EXPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/export/lanes.h"
#include "collector/base/hash.h"
#include "collector/format/record.h"

#define ROWS_TEXT   128u
#define ROWS_RECENT 64u /* power of two */

/* In the order in which they are shown. */
enum row_class {
	ROW_STEPS,
	ROW_FINDINGS,
	ROW_STREAM,
	ROW_WAITS,
	ROW_THREAD,
	ROW_API,
	ROW_OVERHEAD
};

struct row_key {
	enum row_class class;
	uint32_t device;
	uint64_t id; /* stream or thread */
};

struct row {
	struct row_key key;
	struct lanes lanes;
};

struct rows {
	VEC(struct row) items;
	uint32_t recent[ROWS_RECENT]; /* index + 1 */
};

void rows_release(struct rows *rows);

/* The row of a record of the device side; false: it is its thread's. */
bool row_of(const struct record *record, struct row_key *ret_key);

static inline bool row_is(const struct row *row, const struct row_key *key)
{
	return row->key.id == key->id && row->key.device == key->device &&
	       row->key.class == key->class;
}

/* Where the last row of such a key was found, + 1; 0: nowhere. */
static inline uint32_t *rows_recent(struct rows *rows, const struct row_key *key)
{
	uint64_t word = key->id << 8 ^ (uint64_t)key->device << 4 ^ key->class;
	return &rows->recent[hash_bits(word, 6)];
}

/* The row, NULL when it is not there. Valid until the next one is made. */
struct row *rows_find(struct rows *rows, const struct row_key *key);

/* The same, made when it is new. NULL: no memory. */
struct row *rows_make(struct rows *rows, const struct row_key *key);

static inline struct row *rows_take(struct rows *rows, const struct row_key *key)
{
	uint32_t recent = *rows_recent(rows, key);
	if (recent != 0 && row_is(&rows->items.items[recent - 1], key))
		return &rows->items.items[recent - 1];
	return rows_make(rows, key);
}

/* Where the row stands among the others, in 31 bits. */
uint32_t row_order(const struct row_key *key);

/* What it is called; a thread's name may be "". */
void row_name(const struct row_key *key, const char *thread_name, char text[ROWS_TEXT]);

#endif
