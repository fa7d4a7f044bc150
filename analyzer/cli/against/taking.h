/* SPDX-License-Identifier: MIT */
/*
 * Summaries of what the user names: a run's folder, a trace file, or a report that was saved as
 * JSON. A run is reported with the options of the command and its report read. Mistakes are
 * reported as a command does. Not thread-safe.
 */
#ifndef ANALYZER_CLI_AGAINST_TAKING_H
#define ANALYZER_CLI_AGAINST_TAKING_H

#include "analyzer/cli/command.h"
#include "analyzer/summary/summary.h"

typedef VEC(struct summary) taken_runs;

/* A whole file in memory. */
struct taken_file {
	char *bytes;
	size_t size;
};

/* Read a plain file. EXIT_CODE_FINE, or the code of what was reported. */
int taking_file(const char *path, struct taken_file *ret_file);

/*
 * Add the run or report at path, places below root. EXIT_CODE_FINE, or the code of what was
 * reported, also when it holds nothing to compare.
 */
int taking_run(const struct command_context *context, const char *path, const char *root,
	taken_runs *runs);

/*
 * All ranks of the run are wanted, unless --ranks has chosen: EXIT_CODE_FINE and the lowest one is
 * the run, or the code of what was reported.
 */
int taking_all_ranks(const struct command_context *context, struct summary *run);

/* Those that can be compared, in the same order; the others are left out with a remark. */
void taking_good_ranks(const struct command_context *context, struct summary *run);

void taking_release(taken_runs *runs);

/* The option's root, or the current folder; into buffer. EXIT_CODE_FINE, or the reported code. */
int taking_root(const struct command_context *context, char *buffer, size_t size);

/* All runs are of one program, framework and world size. EXIT_CODE_FINE, or the reported code. */
int taking_same(const taken_runs *runs);

#endif
