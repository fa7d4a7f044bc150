/* SPDX-License-Identifier: MIT */
/*
 * What a user names on the command line: a run folder, a trace file, or several of
 * them, turned into the list of trace files to read. A folder gives every
 * *.msgpack.zst in it, and every *.live whose trace file is missing, in the order of
 * their names, so that the same input always gives the same output. A folder into which two
 * programs were recorded holds two runs, of which one has to be named.
 */
#ifndef ANALYZER_RUN_H
#define ANALYZER_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/run/parts.h"
#include "collector/base/err.h"

struct run {
	run_paths paths;
	run_parts parts; /* when one has to be named: the earliest first */
};

/*
 * Collect the files behind count arguments; of each folder those of the run that wanted names (an
 * id, "first" or "last"; NULL: it has only one). 0; -ERR_NO_TRACE (a folder without traces; what
 * names the argument); -ERR_MANY_RUNS or -ERR_UNKNOWN_NAME, and parts are those of the folder;
 * -errno. On failure only parts is left to release.
 */
int run_init(struct run *run, char *const *arguments, size_t count, const char *wanted,
	struct err_at *reterr);
void run_release(struct run *run);

/*
 * Begin of the earliest process (CLOCK_MONOTONIC), which times are counted from; 0 if none can be
 * read. *reterr is set when the system refuses to read one.
 */
uint64_t run_begin_ns(const struct run *run, int *reterr);

#endif
