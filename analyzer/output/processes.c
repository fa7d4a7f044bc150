/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/output.h"
#include "analyzer/tables/view.h"

static struct tables_cell number(bool known, uint64_t value)
{
	return (struct tables_cell){.known = known, .number = known ? value : 0};
}

static struct tables_cell text(const char *value)
{
	bool known = value[0] != '\0';
	return (struct tables_cell){.known = known, .text = known ? value : NULL};
}

static struct tables_cell share(uint64_t part, uint64_t whole)
{
	return number(whole > 0, whole > 0 ? (1000 * part + whole / 2) / whole : 0);
}

struct tables_cell *output_processes_cells(const struct output_process *processes, size_t count)
{
	size_t columns;
	(void)tables_columns(TABLES_PROCESSES, &columns);
	struct tables_cell *cells = calloc(count * columns + 1, sizeof(*cells));
	for (size_t i = 0; i < count && cells != NULL; i++) {
		const struct output_process *process = &processes[i];
		const struct tables_cell row[] = {number(process->pid != 0, process->pid),
			number(process->parent != 0, process->parent),
			number(process->rank >= 0, (uint64_t)process->rank),
			number(true, process->ns), number(process->cpu_ns > 0, process->cpu_ns),
			share(process->cpu_ns, process->cpu_ns > 0 ? process->ns : 0),
			share(process->host_busy_ns, process->host_ns),
			number(true, process->events), number(true, process->launches),
			number(true, process->steps), number(true, process->lost),
			text(process->role), text(process->host), text(process->program)};
		_Static_assert(sizeof(row) / sizeof(row[0]) == 14, "the columns of PROCESSES");
		memcpy(&cells[i * columns], row, sizeof(row));
	}
	return cells;
}
