/* SPDX-License-Identifier: MIT */
/*
 * Rows of a time line for events that do not belong to the thread that recorded
 * them: one per stream of a device, and one per thread for what the device side's
 * interface reports. They get numbers that no thread of the system has.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_CHROME_ROWS_H
#define ANALYZER_CHROME_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/record.h"

#define CHROME_ROW_FIRST 1000000000u
/* More streams than that share the last row: a viewer shows no more anyway. */
#define CHROME_ROW_LIMIT 1024u

enum chrome_row_class {
	CHROME_ROW_STREAM,
	CHROME_ROW_API,
	CHROME_ROW_OVERHEAD
};

struct chrome_row {
	enum chrome_row_class class;
	uint32_t device;
	uint64_t id; /* stream or thread */
};

struct chrome_rows {
	struct chrome_row *rows;
	size_t count;
	size_t last; /* found last time */
};

void chrome_rows_release(struct chrome_rows *rows);

/* True when the event is on such a row; then *ret_row says which. */
bool chrome_row_of(const struct record *record, struct chrome_row *ret_row);

/* Where the row stands among the others: streams by device and number, then the interfaces. */
uint64_t chrome_row_order(const struct chrome_row *row);

/* Number of a row, *ret_new: it is the first time. Never fails: without memory all share one. */
uint32_t chrome_rows_number(struct chrome_rows *rows, const struct chrome_row *row, bool *ret_new);

#endif
