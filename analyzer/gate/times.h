/* SPDX-License-Identifier: MIT */
/*
 * Whether steps have become slower, from one number of each run: steps of a run are not independent
 * of each other, runs are. Mann and Whitney's test of ranks, one-sided; exact without ties in small
 * samples, else by the normal law with a correction for ties. Pure functions.
 */
#ifndef ANALYZER_GATE_TIMES_H
#define ANALYZER_GATE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMES_RUNS  5u     /* on either side, at least */
#define TIMES_MOST  1000u  /* that are looked at */
#define TIMES_LEVEL 0.01   /* so seldom a run that is not slower may be taken for one */
#define TIMES_FLOOR 1.0495 /* what is less than 5.0 %, as printed, is not worth a failure */

struct times_result {
	double base_ns, new_ns; /* medians of the runs */
	double factor;          /* of both */
	double p;               /* that ranks are so by chance */
	double least_factor;    /* the smallest slow-down that would have been seen; 0: none */
	bool slower;
};

/* P(U >= seen) for samples of the same law: that those of b are as large against those of a. */
double times_mann_whitney(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

/* TIMES_RUNS or more on either side, in any order, at most TIMES_MOST. */
struct times_result times_judge(
	const uint64_t *base, size_t base_count, const uint64_t *runs, size_t run_count);

#endif
