/* SPDX-License-Identifier: MIT */
/*
 * The files of a run, read side by side: a thread for each as long as there are processors, and
 * given out in their order, so that nothing depends on which was faster. A thread begins no file
 * that many places behind the one that is wanted next, so that memory is bounded by the number of
 * threads. On one processor, or of one file, the caller reads.
 *
 * One caller; it must not be in a callback of the options.
 */
#ifndef ANALYZER_RUN_ABREAST_H
#define ANALYZER_RUN_ABREAST_H

#include "analyzer/run/process.h"

struct abreast;

/* paths and options are used until the end. NULL: no memory. */
struct abreast *abreast_new(
	char *const *paths, size_t count, const struct process_options *options);

/* Ends the reading; what was not given out is released. NULL: nothing. */
void abreast_free(struct abreast *abreast);

/* The next file, at most count times: as process_init(). */
int abreast_next(struct abreast *abreast, struct process *ret_process, struct err_at *reterr);

#endif
