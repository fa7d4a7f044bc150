/* SPDX-License-Identifier: MIT */
/*
 * The tables as rows of cells, ready to be printed in any form: what the outputs know about tables.
 * Columns come from tables.def. Kernels whose shown names are equal (shortened ones often are) make
 * one row. Rows are sorted by time, devices and streams by their numbers, failed calls by count;
 * then by name; "others" comes last.
 *
 * A view owns its cells; texts belong to the lookup of the source. Not thread-safe.
 */
#ifndef ANALYZER_TABLES_ROWS_H
#define ANALYZER_TABLES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "analyzer/tables/tables.h"

enum tables_type {
	TABLES_TEXT,
	TABLES_AMOUNT, /* how many */
	TABLES_NUMBER, /* that means something by itself: a device, an error */
	TABLES_NS,
	TABLES_BYTES,
	TABLES_PCT,   /* in tenths */
	TABLES_RATE,  /* bytes per second */
	TABLES_SHAPE, /* x, y, z from the low bits: 32, 16, 16 */
};

struct tables_column {
	enum tables_id table;
	enum tables_type type;
	const char *name;
	const char *heading; /* NULL: not in the text form */
};

struct tables_info {
	const char *name, *title, *remark;
	bool device; /* needs records of the device side */
};

extern const struct tables_info tables_infos[TABLES_COUNT];

/* The columns of a table, one or more. */
const struct tables_column *tables_columns(enum tables_id id, size_t *ret_count);

/* TABLES_COUNT: no table of that name (length bytes). */
enum tables_id tables_id_of(const char *name, size_t length);

struct tables_cell {
	bool known;
	uint64_t number;
	const char *text;
};

/* A device as the trace describes it; 0 and "": not known. */
struct tables_gpu {
	uint64_t id, memory_bytes_per_s, link_bytes_per_s;
	char name[64];
};

struct tables_source {
	const struct tables *tables;
	const struct lookup *lookup; /* texts as they are to be shown */
	const struct tables_gpu *gpus;
	size_t gpu_count;
	uint64_t begin_ns; /* of the run */
};

struct tables_view {
	enum tables_id id;
	const struct tables_column *columns;
	size_t column_count, rows;
	struct tables_cell *cells; /* row by row */
};

/* 0 or -ENOMEM; release it after either. A table of the device side has no rows without records. */
int tables_view_init(
	struct tables_view *view, const struct tables_source *source, enum tables_id id);
void tables_view_release(struct tables_view *view);

static inline const struct tables_cell *tables_cell(
	const struct tables_view *view, size_t row, size_t column)
{
	return &view->cells[row * view->column_count + column];
}

#endif
