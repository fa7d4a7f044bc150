/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/output.h"
#include "analyzer/run/workers.h"
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

struct output_process output_process_of(const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	const struct model *model = process->model;
	struct output_process about = {.rank = -1,
		.events = model->events,
		.launches = model->kinds[RECORD_LAUNCH] + model->kinds[RECORD_GRAPH],
		.steps = model->steps.count,
		.lost = reader_health(process->reader)->lost,
		.ns = model->events > 0 ? model->last_ns - model->first_ns : 0,
		.cpu_ns = workers_cpu_ns(model)};
	about.host_ns = workers_host_ns(model, &about.host_busy_ns);
	if (run == NULL)
		return about;
	snprintf(about.program, sizeof(about.program), "%s", run->program);
	snprintf(about.host, sizeof(about.host), "%s", run->host);
	snprintf(about.role, sizeof(about.role), "%s", run->role);
	about.pid = run->pid;
	about.parent = run->parent_pid;
	about.rank = run->rank;
	return about;
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
