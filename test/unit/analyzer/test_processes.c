/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "analyzer/output/output.h"
#include "test/unit/analyzer/tables_cell.h"

static struct tables_cell of(
	const struct output_process *processes, size_t count, size_t row, const char *column)
{
	struct tables *none = NULL;
	struct tables_source source = names_source(none);
	struct tables_cell *cells = output_processes_cells(processes, count);
	struct tables_view view;
	struct tables_cell found = {.number = 12345678};
	source.processes = (struct tables_given){cells, count};
	cr_assert(eq(int, tables_view_init(&view, &source, TABLES_PROCESSES), 0));
	cr_assert(eq(sz, view.rows, count));
	for (size_t i = 0; i < view.column_count; i++)
		if (strcmp(view.columns[i].name, column) == 0)
			found = *tables_cell(&view, row, i);
	cr_assert(ne(u64, found.number, 12345678), "no column %s", column);
	tables_view_release(&view);
	free(cells);
	return found;
}

Test(processes, each_is_a_row_and_what_is_not_known_is_said)
{
	const struct output_process processes[] = {
		{.program = "train.py",
			.pid = 7,
			.parent = 3,
			.rank = 1,
			.ns = 1000,
			.cpu_ns = 2500, /* several threads */
			.host_busy_ns = 300,
			.host_ns = 4000,
			.launches = 12},
		{.program = "loader", .pid = 8, .rank = -1},
	};
	cr_expect(eq(u64, of(processes, 2, 0, "pid").number, 7));
	cr_expect(eq(u64, of(processes, 2, 0, "parent").number, 3));
	cr_expect(eq(u64, of(processes, 2, 0, "rank").number, 1));
	cr_expect(eq(u64, of(processes, 2, 0, "cpu_pct").number, 2500));
	cr_expect(eq(u64, of(processes, 2, 0, "host_cpu_pct").number, 75));
	cr_expect(eq(u64, of(processes, 2, 0, "launches").number, 12));
	cr_expect(eq(str, (char *)of(processes, 2, 0, "name").text, (char *)"train.py"));
	cr_expect(eq(str, (char *)of(processes, 2, 1, "name").text, (char *)"loader"));
	const char *const unknown[] = {
		"parent", "rank", "cpu_ns", "cpu_pct", "host_cpu_pct", "role", "host"};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		cr_expect(not(of(processes, 2, 1, unknown[i]).known), "%s", unknown[i]);
	cr_expect(of(processes, 2, 1, "life_ns").known);
}
