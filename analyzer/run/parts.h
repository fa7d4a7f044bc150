/* SPDX-License-Identifier: MIT */
/*
 * Which of the trace files of one folder belong to the same run. Files of one run have its id in
 * common. Different ids are one run as well where every host has begun its own part of it: the same
 * program with the same number of ranks, and no rank twice.
 */
#ifndef ANALYZER_RUN_PARTS_H
#define ANALYZER_RUN_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/vec.h"

#define RUN_TEXT 96u

/* One of several runs in a folder. */
struct run_part {
	char id[RUN_TEXT]; /* "-": recorded before runs had ids */
	char program[RUN_TEXT];
	uint64_t begin_ns; /* of its first process, CLOCK_REALTIME */
	size_t processes;
};

typedef VEC(char *) run_paths;
typedef VEC(struct run_part) run_parts;

/*
 * Leave in paths, of those from index first on, the files of the run that wanted names: an id,
 * "first" or "last". NULL: there must be only one run. 0; -ERR_MANY_RUNS or -ERR_UNKNOWN_NAME, and
 * ret_parts tells which there are; -ENOMEM.
 */
int parts_choose(run_paths *paths, size_t first, const char *wanted, run_parts *ret_parts);

#endif
