/* SPDX-License-Identifier: MIT */
/*
 * The tables as rows of cells, ready to be printed in any form: what the outputs know about tables.
 * Columns come from columns.def. Kernels whose shown names are equal (shortened ones often are)
 * make one row. Rows are sorted by time, devices and streams by their numbers, failed calls by
 * count; then by name; "others" comes last.
 *
 * A view owns its cells; texts belong to the lookup of the source. Not thread-safe.
 */
#ifndef ANALYZER_TABLES_VIEW_H
#define ANALYZER_TABLES_VIEW_H

#include <stddef.h>

#include "analyzer/tables/columns.h"
#include "analyzer/tables/source.h"

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
