/* SPDX-License-Identifier: MIT */
/*
 * Forms of the report. Each is one struct of functions in a file of its own
 * (output_<name>.c); the command picks one by name. Outputs only print: everything is
 * decided before, in the report. Write errors are found when the output is closed.
 */
#ifndef ANALYZER_OUTPUT_H
#define ANALYZER_OUTPUT_H

#include "analyzer/output/tables.h"
#include "analyzer/report/result/result.h"
#include "analyzer/run/process.h"
#include "analyzer/sources/sources.h"
#include "analyzer/text/out.h"
#include "analyzer/text/term.h"

struct output_ranks;

/* One process of the run, kept after its trace has been closed. */
struct output_process {
	char program[PROCESS_NAME], host[PROCESS_NAME], role[16];
	uint64_t pid, events, launches, steps, lost;
	uint64_t parent, ns, cpu_ns;    /* from its first event to its last; 0: not known */
	uint64_t host_busy_ns, host_ns; /* of all processors meanwhile: busy, all; 0: not known */
	int64_t rank;                   /* below 0: none */
};

/* Why the report is about this process and no other. */
enum output_choice {
	OUTPUT_ONLY_ONE,
	OUTPUT_LAUNCHES_MOST,
	OUTPUT_STEPS_MOST,  /* where none has launched anything */
	OUTPUT_LOWEST_RANK, /* of several that launch as much */
	OUTPUT_CHOICE_COUNT
};

struct output_run {
	const struct output_process *processes; /* in the order of the files */
	size_t count;
	size_t main; /* the one that the report is about */
	enum output_choice choice;
	const struct process *traced;       /* the same, open */
	const struct output_tables *tables; /* of the same; NULL: none, JSON without series too */
	const struct sources *sources;      /* lines of its files; NULL: none */
	const struct lookup *lookup;        /* its texts as they are to be shown; NULL: none */
	struct output_ranks *others;        /* what JSON says of other ranks; NULL: nothing */
	size_t unread;                      /* files that could not be read */
};

/* All of them as the cells of PROCESSES, to be freed; texts are the processes'. NULL: no memory. */
/* What is said of a process that was read. */
struct output_process output_process_of(const struct process *process);

struct tables_cell *output_processes_cells(const struct output_process *processes, size_t count);

struct output {
	const char *name;
	void (*print)(struct out *out, const struct term *term, const struct output_run *run,
		const struct report *report);
};

extern const struct output output_text, output_json, output_csv;

#endif
