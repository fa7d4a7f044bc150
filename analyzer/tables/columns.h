/* SPDX-License-Identifier: MIT */
/*
 * Which tables there are and what columns they have: columns.def as constants and descriptions.
 * Constant data and pure functions.
 */
#ifndef ANALYZER_TABLES_COLUMNS_H
#define ANALYZER_TABLES_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tables_id {
#define TABLE(id, name, title, hists, rows, needs, remark) TABLES_##id,
#define COLUMN(id, type, name, heading)
#include "analyzer/tables/columns.def"
#undef TABLE
#undef COLUMN
	TABLES_COUNT
};
#define TABLES_ALL ((1u << TABLES_COUNT) - 1)

enum tables_type {
	TABLES_TEXT,
	TABLES_AMOUNT, /* how many */
	TABLES_NUMBER, /* that means something by itself: a device, an error */
	TABLES_NS,
	TABLES_BYTES,
	TABLES_PCT,   /* in tenths */
	TABLES_PER_S, /* in thousandths */
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

/* Some of the tables (bit per enum tables_id) has a column of that name. */
bool tables_have_column(uint32_t tables, const char *name);

#endif
