/* SPDX-License-Identifier: MIT */
/*
 * The rows of one table: a bounded hash table. Rows are found by TABLES_KEY numbers that say what
 * they are about, and stay where they are until the end; what does not fit shares one row.
 *
 * Not thread-safe; an all-zero set is empty.
 */
#ifndef ANALYZER_TABLES_SET_H
#define ANALYZER_TABLES_SET_H

#include "analyzer/tables/columns.h"
#include "analyzer/tables/key.h"
#include "analyzer/tables/sums/busy.h"
#include "analyzer/tables/sums/held.h"
#include "analyzer/tables/sums/hist.h"
#include "collector/base/slots.h"
#include "collector/base/vec.h"

struct tables_row {
	uint64_t key[TABLES_KEY];
	bool others;      /* what did not fit */
	bool driver;      /* of a call: the driver's */
	uint32_t place;   /* FAILED_CALLS */
	uint32_t forward; /* OPERATORS, of the backward pass: the name of the one behind it */
	bool mixed;       /* there are several */
	struct tables_row *whole; /* OPERATORS_BY_SHAPE: that of the operator, else NULL */
	uint64_t first_ns;        /* FAILED_CALLS */
	uint64_t count;           /* of all, with those that have no times */
	uint64_t sum_ns; /* OVERVIEW: lengths added up; OPERATORS: what it gave the device itself */
	struct tables_busy *busy;   /* what is a union of times, else NULL */
	struct tables_held *held;   /* MEMORY, else NULL */
	struct tables_hist hists[]; /* as many as the table has */
};

struct tables_set {
	VEC(struct tables_row *) rows;
	struct slots slots;        /* of the rows, by their keys */
	struct tables_row *others; /* NULL: all fitted */
};

/* The row of a key, new if need be; that for the rest when there are too many. NULL: no memory. */
struct tables_row *tables_set_find(
	struct tables_set *set, enum tables_id id, const uint64_t key[TABLES_KEY]);
void tables_set_release(struct tables_set *set, enum tables_id id);

/* How many histograms a row of the table has. */
unsigned tables_set_hists(enum tables_id id);

/* A row apart from all sets; tables_row_free() it, which accepts NULL. NULL: no memory. */
struct tables_row *tables_row_new(enum tables_id id, const uint64_t key[TABLES_KEY]);
void tables_row_free(struct tables_row *row, enum tables_id id);

#endif
