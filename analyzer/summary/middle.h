/* SPDX-License-Identifier: MIT */
/*
 * One number for several runs: the median of those that have it. Pure functions.
 */
#ifndef ANALYZER_SUMMARY_MIDDLE_H
#define ANALYZER_SUMMARY_MIDDLE_H

#include "analyzer/summary/summary.h"

/* A number of a run, 0 and more; below 0: it is not known. */
typedef double summary_number(const struct summary *run);

/*
 * Below 0: no run has it, or memory ran out. ret_spread_pct, if not NULL, is how far the least and
 * the most of at least two runs are apart, in percent of the median; below 0: not known.
 */
double summary_middle(
	const struct summary *runs, size_t count, summary_number *get, double *ret_spread_pct);

/* ns of a step, and percent of it */
double summary_step(const struct summary *run);
double summary_reader(const struct summary *run);
double summary_busy(const struct summary *run);
double summary_host(const struct summary *run);

#endif
