/* SPDX-License-Identifier: MIT */
/*
 * Makes a comparison out of the summaries of both sides, which it does not own. Not thread-safe.
 */
#ifndef ANALYZER_COMPARE_MAKE_H
#define ANALYZER_COMPARE_MAKE_H

#include "analyzer/compare/compare.h"

/* Of one run and more on either side. 0 or -ENOMEM; comparison_release() after either. */
int comparison_make(struct comparison *comparison, const struct summary *base, size_t base_count,
	const struct summary *next, size_t next_count);
void comparison_release(struct comparison *comparison);

#endif
