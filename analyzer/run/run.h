/* SPDX-License-Identifier: MIT */
/*
 * What a user names on the command line: a run folder, a trace file, or several of
 * them, turned into the list of trace files to read. A folder gives every
 * *.msgpack.zst in it, and every *.live whose trace file is missing, in the order of
 * their names, so that the same input always gives the same output.
 */
#ifndef ANALYZER_RUN_H
#define ANALYZER_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/err.h"
#include "collector/base/vec.h"

struct run {
	VEC(char *) paths;
};

/*
 * Collect the files behind count arguments. 0; -ERR_NO_TRACE (a folder without traces; what names
 * the argument); -errno. Releases itself on failure.
 */
int run_init(struct run *run, char *const *arguments, size_t count, struct err_at *reterr);
void run_release(struct run *run);

/*
 * Begin of the earliest process (CLOCK_MONOTONIC), which times are counted from; 0 if none can be
 * read.
 */
uint64_t run_begin_ns(const struct run *run);

#endif
