/* SPDX-License-Identifier: MIT */
/*
 * What steps come to: how many are steady, how long they took, which stand out.
 *
 * Warm-up: of 30 steps and more the first 10, otherwise the first ones that take more than
 * twice the median. Lengths are in nanoseconds. Nothing is kept; not thread-safe.
 */
#ifndef ANALYZER_STEPS_FIGURES_H
#define ANALYZER_STEPS_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/steps/steps.h"

struct steps_summary {
	uint64_t count, warmup, steady;
	uint64_t recorded;     /* of count */
	uint64_t lag_ns;       /* of the device at the end of the last steady step */
	int64_t lag_growth_ns; /* by so much it grew with each of them, in the mean */
	uint64_t lag_rise_ns;  /* sum of all growth: more where the device caught up in between */
	int64_t lag_trend_ns;  /* growth with each of the last ones */
	uint64_t first, until; /* the steady ones are first .. until - 1, as far as selected */
	uint64_t total_ns;     /* of the steady steps */
	uint64_t median_ns, mean_ns, p95_ns, min_ns, max_ns;
	uint64_t mean_low_ns, mean_high_ns; /* what of it is an estimate may make it that */
	uint64_t p10_ns;                    /* a tenth of the steady steps are shorter */
	double spread;                      /* median distance from the median, as a share of it */
};

/*
 * The steps over which counts of two runs compare: chosen by their numbers alone, since lengths
 * never repeat. Of 30 steps and more from the tenth on, of fewer the last two thirds.
 */
struct steps_window {
	uint64_t first, until,
		count; /* first .. until - 1, of which so many are whole and wanted */
};

/* Steady steps that take much longer than the others, if they are few. */
struct step_outliers {
	uint32_t count;
	struct step_length items[STEPS_LONGEST + 1]; /* by number */
	uint64_t more_ns;                            /* than the median, all together */
};

/* Work out warm-up and figures; every figure is 0 when there is no steady step. */
void steps_summarise(const struct steps *steps, struct steps_summary *ret_summary);

void steps_counted(const struct steps *steps, struct steps_window *ret_window);

/*
 * What came after the last step's end and belongs to it is to be counted: the first that counts
 * does not begin with as much of the step before it, which may just as well stand for that.
 */
bool steps_tail_counts(const struct steps *steps);

/* By the modified z-score, of which 3.5 is the usual limit; none when every fifth step is one. */
void steps_find_outliers(const struct steps *steps, const struct steps_summary *summary,
	struct step_outliers *ret_outliers);

#endif
