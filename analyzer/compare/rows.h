/* SPDX-License-Identifier: MIT */
/*
 * The rows of a comparison: the same name on both sides is the same row; lines are the same in the
 * same function, with the same operator and text. Only what changed is kept. Not thread-safe.
 */
#ifndef ANALYZER_COMPARE_ROWS_H
#define ANALYZER_COMPARE_ROWS_H

#include "analyzer/compare/compare.h"

/* Rows of a part, of all runs of the comparison. 0 or -ENOMEM. */
int rows_compare(struct comparison *comparison, enum compare_part part, const struct summary *base,
	const struct summary *next);

#endif
