/* SPDX-License-Identifier: MIT */
/*
 * One row of a table turned into its cells, column by column in the order of columns.def. Pure
 * but for the lookup.
 */
#ifndef ANALYZER_TABLES_CELLS_H
#define ANALYZER_TABLES_CELLS_H

#include "analyzer/tables/set.h"
#include "analyzer/tables/source.h"

#define TABLES_OTHERS "others"

/* What a row is called and sorted by after its time: a function, kernel, kind of copy, or "". */
const char *tables_row_label(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row);

/* What it is sorted by after that: what an operator gave the device, or "". */
const char *tables_row_second(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row);

/* What shares of time refer to: all rows; those of the same label. */
struct tables_whole {
	uint64_t ns, group_ns;
};

/* The cells of a row into ret_cells. How many. */
size_t tables_row_cells(const struct tables_source *source, enum tables_id id,
	const struct tables_row *row, const struct tables_whole *whole,
	struct tables_cell *ret_cells);

#endif
