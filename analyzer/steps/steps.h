/* SPDX-License-Identifier: MIT */
/*
 * Training steps: where one ends and the next begins, and how long they took.
 *
 * Cuts come from the best kind of mark that the trace has shown so far: explicit steps,
 * else the end of the optimiser's step, else the loader's next, else a repeating pattern
 * of launches (period.h). When a better kind turns up, counting starts afresh. Step 0
 * reaches from the start of the trace to the first cut, so it holds the program's
 * set-up and never counts; what follows the last cut is no whole step and is left out.
 *
 * What lies between steps and is none (evaluation, a checkpoint) is cut out; a step that is not
 * whole (the process was stopped in it) has a number and no length.
 *
 * A cut is the host's: it ends the calls of a step. When the step itself ends is told later
 * (steps_end()), because the device may be far behind then. By how much is the lag; a lag that
 * grows from step to step belongs to a loop that has not settled yet.
 *
 * Warm-up: of 30 steps and more the first 10, otherwise the first ones that take more than
 * twice the median. Memory is bounded: durations beyond STEPS_SAMPLES are thinned out
 * evenly. Not thread-safe.
 */
#ifndef ANALYZER_STEPS_H
#define ANALYZER_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/steps/phase.h"
#include "analyzer/steps/series.h"

#define STEPS_SAMPLES 32768u
#define STEPS_PENDING 4096u
#define STEPS_LONGEST 64u

enum step_method {
	STEP_BY_NOTHING,
	STEP_BY_PERIOD,
	STEP_BY_LOADER,
	STEP_BY_OPTIMIZER,
	STEP_BY_MARK,
	STEP_BY_RANGE,  /* the user named one, */
	STEP_BY_MARKER, /* or what ends a step */
	STEP_METHOD_COUNT
};

extern const char *const step_method_names[STEP_METHOD_COUNT];

struct step_length {
	uint64_t step, ns;
};

struct steps {
	enum step_method method;
	uint64_t count;    /* cuts: steps whose calls are complete, step 0 among them */
	uint64_t cut_ns;   /* the last one */
	uint64_t ended;    /* steps that have ended, the first of those */
	uint64_t begin_ns; /* of the first one that has not */
	uint64_t early[SERIES_EARLY], early_lags[SERIES_EARLY];
	uint32_t early_broken;     /* bit per step */
	uint64_t part_ns, tail_ns; /* of the running step, that were put by */
	struct phases phases;
	struct step_length longest[STEPS_LONGEST]; /* in no order */
	uint32_t longest_count;
	uint64_t
		samples[STEPS_SAMPLES]; /* durations of every stride-th step from SERIES_EARLY on */
	uint32_t sample_count, stride;
	uint64_t late_total_ns, late_min_ns, late_max_ns;
	uint64_t lag_ns; /* at the end of the newest step that has ended */
	uint64_t late_from_lag,
		late_until_lag; /* before the first wanted late one, after the last */
	uint64_t late_rise_ns;  /* all that the lag grew in late ones */
	int64_t lag_trend_ns;   /* mean growth in the last wanted steps */
	bool (*selected)(const void *context, uint64_t step); /* NULL: all */
	const void *context;
	uint64_t late_count; /* wanted ones */
};

struct steps_summary {
	uint64_t count, warmup, steady;
	uint64_t lag_ns;       /* of the device at the end of the last steady step */
	int64_t lag_growth_ns; /* by so much it grew with each of them, in the mean */
	uint64_t lag_rise_ns;  /* sum of all growth: more where the device caught up in between */
	int64_t lag_trend_ns;  /* growth with each of the last ones */
	uint64_t first, until; /* the steady ones are first .. until - 1, as far as selected */
	uint64_t total_ns;     /* of the steady steps */
	uint64_t median_ns, mean_ns, p95_ns, min_ns, max_ns;
	double spread; /* median distance from the median, as a share of it */
};

/* Steady steps that take much longer than the others, if they are few. */
struct step_outliers {
	uint32_t count;
	struct step_length items[STEPS_LONGEST + 1]; /* by number */
	uint64_t more_ns;                            /* than the median, all together */
};

/* No step yet; the trace begins at ns. */
void steps_init(struct steps *steps, uint64_t ns);

/* A better kind of mark was found: start again, at the same beginning. */
void steps_restart(struct steps *steps, enum step_method method, uint64_t begin_ns);

/* A step's calls end. False (and nothing happens) unless time has passed since the last cut. */
bool steps_cut(struct steps *steps, uint64_t ns);

/* The same for a cut that ends no step. */
bool steps_pass(struct steps *steps, uint64_t ns);

/* The oldest step that was cut and has not ended ends at ns, lag_ns after its cut. */
void steps_end(struct steps *steps, uint64_t ns, uint64_t lag_ns);

/* A cut of another kind, of phase number phase if it puts something aside. */
void steps_put(
	struct steps *steps, enum step_cut cut, uint32_t phase, uint64_t ns, uint64_t lag_ns);

/* True when the user asked for this step (or for no particular one). */
bool steps_wanted(const struct steps *steps, uint64_t step);

/* How long the steps that the user asked for took, the running one until ns. */
uint64_t steps_wanted_ns(const struct steps *steps, uint64_t ns);

/* Work out warm-up and figures; every figure is 0 when there is no steady step. */
void steps_summarise(const struct steps *steps, struct steps_summary *ret_summary);

/* By the modified z-score, of which 3.5 is the usual limit; none when every fifth step is one. */
void steps_find_outliers(const struct steps *steps, const struct steps_summary *summary,
	struct step_outliers *ret_outliers);

#endif
