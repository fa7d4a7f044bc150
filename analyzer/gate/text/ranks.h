/* SPDX-License-Identifier: MIT */
/*
 * The other ranks of a run in a baseline: which there are ("run ranks = 0-3"), and of each only
 * what the lowest one does not do as well ("rank 1-3 site ... = 0/30"), since ranks do about the
 * same. Not thread-safe.
 */
#ifndef ANALYZER_GATE_TEXT_RANKS_H
#define ANALYZER_GATE_TEXT_RANKS_H

#include "analyzer/gate/baseline.h"
#include "analyzer/text/out.h"

/* The line that names them; nothing where the baseline is of one. */
void ranks_write_names(const struct baseline *baseline, struct out *out);

/* Their rows. */
void ranks_write(const struct baseline *baseline, struct out *out);

/* What "run ranks" says. 0, -ERR_BAD_VALUE or -ENOMEM. */
int ranks_read_names(struct baseline *baseline, const char *value);

/* "rank RANKS REST", without the word, is REST. 0, -ERR_BAD_VALUE, -ERR_UNKNOWN_NAME or -ENOMEM. */
int ranks_read(struct baseline *baseline, const char *text, const char *value);

/*
 * All lines are read, and the rows of the baseline are sorted: each rank gets those that it has in
 * common with the lowest one. 0, -ERR_BAD_VALUE (a row is there twice) or -ENOMEM.
 */
int ranks_complete(struct baseline *baseline);

#endif
