/* SPDX-License-Identifier: MIT */
/*
 * One row of a table turned into its cells, column by column in the order of columns.def. Pure
 * but for the lookup.
 */
#ifndef ANALYZER_TABLES_CELLS_H
#define ANALYZER_TABLES_CELLS_H

#include "analyzer/tables/set.h"
#include "analyzer/tables/source.h"

/* What a row is called and sorted by after its time: a function, kernel, kind of copy, or "". */
const char *tables_row_label(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row);

/* The cells of a row into ret_cells; whole_ns is what its share of time refers to. How many. */
size_t tables_row_cells(const struct tables_source *source, enum tables_id id,
	const struct tables_row *row, uint64_t whole_ns, struct tables_cell *ret_cells);

#endif
