/* SPDX-License-Identifier: MIT */
/*
 * What needs all processes of a run as rows of tables: the workers of one process, the files that
 * it and they have read, and its collectives, for which ranks wait for each other. Noted process by
 * process, asked once all have been read.
 */
#ifndef ANALYZER_RUN_INPUT_H
#define ANALYZER_RUN_INPUT_H

#include "analyzer/ranks/late.h"
#include "analyzer/ranks/meets.h"
#include "analyzer/run/workers.h"
#include "analyzer/tables/source.h"

struct run_file {
	uint64_t owner, parent; /* identities of who read it and of who began that */
	struct fact_file sums;
	char *name;   /* own */
	char *folder; /* of rows alone: own */
	char system[16];
};

/* All-zero: empty. */
struct run_input {
	struct run_meets meets;
	run_workers workers;
	VEC(struct run_file) files;
	VEC(struct run_file) folders; /* of the rows; their names are those of files */
	VEC(struct tables_cell) worker_cells, file_cells;
};

/* Note a process that has been read. 0 or -ENOMEM. */
int input_note(struct run_input *input, const struct process *process);

/* For whom a process waits in its steady steps, once all have been noted. 0 or -ENOMEM. */
int input_late(const struct run_input *input, const struct process *process, struct late *ret_late);

/* Give the rows about a process to the source; once. 0 or -ENOMEM. */
int input_show(struct run_input *input, const struct meta_RUN *run, struct tables_source *source);

void input_release(struct run_input *input);

#endif
