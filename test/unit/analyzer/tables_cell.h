/* SPDX-License-Identifier: MIT */
/*
 * Cells of tables by the names of their columns, for tests: what is not as wanted fails. Every
 * function is static.
 */
#ifndef TEST_UNIT_TABLES_CELL_H
#define TEST_UNIT_TABLES_CELL_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/tables/view.h"
#include "test/unit/analyzer/tables_names.h"

/* A cell by the names of its table and column. */
static inline struct tables_cell cell(
	struct tables *tables, enum tables_id id, size_t row, const char *column)
{
	struct tables_view view;
	struct tables_source source = names_source(tables);
	struct tables_cell found = {.number = 12345678};
	cr_assert(eq(int, tables_view_init(&view, &source, id), 0));
	cr_assert(lt(sz, row, view.rows), "%s has %zu rows", tables_infos[id].name, view.rows);
	for (size_t i = 0; i < view.column_count; i++)
		if (strcmp(view.columns[i].name, column) == 0)
			found = *tables_cell(&view, row, i);
	cr_assert(ne(u64, found.number, 12345678), "no column %s", column);
	tables_view_release(&view);
	return found;
}

#define NUMBER(id, row, column, wanted)                                                            \
	cr_expect(eq(u64, cell(tables, TABLES_##id, row, column).number, wanted), "%s", column)
#define TEXT(id, row, column, wanted)                                                              \
	cr_expect(eq(str, (char *)cell(tables, TABLES_##id, row, column).text, (char *)(wanted)))
#define UNKNOWN(id, row, column)                                                                   \
	cr_expect(not(cell(tables, TABLES_##id, row, column).known), "%s", column)

static inline size_t row_count(struct tables *tables, enum tables_id id)
{
	struct tables_view view;
	struct tables_source source = names_source(tables);
	cr_assert(eq(int, tables_view_init(&view, &source, id), 0));
	size_t rows = view.rows;
	tables_view_release(&view);
	return rows;
}

#endif
