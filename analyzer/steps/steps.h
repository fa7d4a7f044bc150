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
 * Memory is bounded: durations beyond STEPS_SAMPLES are thinned out evenly. What they come to is
 * told by figures.h. Not thread-safe.
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
#define STEPS_SKIPS   8u

enum step_method {
	STEP_BY_NOTHING,
	STEP_BY_PERIOD,
	STEP_BY_LOADER,
	STEP_BY_OPTIMIZER,
	STEP_BY_MARK,
	STEP_BY_PROGRAM, /* which says itself where one ends */
	STEP_BY_RANGE,   /* the user named one, */
	STEP_BY_MARKER,  /* or what ends a step */
	STEP_METHOD_COUNT
};

extern const char *const step_method_names[STEP_METHOD_COUNT];

struct step_length {
	uint64_t step, ns;
};

/* Steps that ended while recording was off: they have numbers and nothing else. */
struct step_skips {
	struct {
		uint64_t first, count;
	} items[STEPS_SKIPS]; /* the first ones; the last has all that follow */
	uint32_t count;
	uint64_t steps; /* all together */
};

/* By so much something may have been shorter or longer than it is taken to be. */
struct step_loose {
	uint64_t less_ns, more_ns;
};

struct steps {
	enum step_method method;
	uint64_t count;    /* cuts: steps whose calls are complete, step 0 among them */
	uint64_t cut_ns;   /* the last one */
	uint64_t ended;    /* steps that have ended, the first of those */
	uint64_t begin_ns; /* of the first one that has not */
	uint64_t early[SERIES_EARLY], early_lags[SERIES_EARLY];
	uint32_t early_broken;          /* bit per step */
	uint64_t part_ns, tail_ns;      /* of the running step, that were put by */
	struct step_loose piece, parts; /* since the last cut; of the parts that were put by */
	/* of what was put aside in those steps, and in all that came later */
	struct step_loose early_loose[SERIES_EARLY], late_loose;
	struct step_skips skips;
	struct phases phases;
	struct step_length longest[STEPS_LONGEST]; /* in no order */
	uint32_t longest_count;
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
	/* durations of every stride-th step from SERIES_EARLY on */
	uint64_t samples[STEPS_SAMPLES];
};

/* No step yet; the trace begins at ns. A better kind of mark was found: start again, there. */
void steps_init(struct steps *steps, uint64_t ns);
void steps_restart(struct steps *steps, enum step_method method, uint64_t begin_ns);

/* A step's calls end; pass: none ends. False, and nothing, unless time passed since the last. */
bool steps_cut(struct steps *steps, uint64_t ns);
/* As steps_cut(), and it is known only now that so many steps end here or have ended before. */
bool steps_cut_late(struct steps *steps, uint64_t ns, uint64_t count);
bool steps_pass(struct steps *steps, uint64_t ns);

/*
 * So many steps ended while recording was off, the running one among them. False as steps_cut();
 * steps_skipped(): their cut, of kind CUT_BROKEN, has been reached.
 */
bool steps_skip(struct steps *steps, uint64_t ns, uint64_t count);
void steps_skipped(struct steps *steps, uint64_t count);

/* The trace begins with step number count. */
void steps_begin_at(struct steps *steps, uint64_t count);

/* The oldest step that was cut and has not ended ends at ns, lag_ns after its cut. */
void steps_end(struct steps *steps, uint64_t ns, uint64_t lag_ns);

/* The same for what the next cut ends: where it begins and ends is known as badly as that. */
void steps_loosen(struct steps *steps, const struct step_loose *loose);

/* A cut of another kind, of phase number phase if it puts something aside. */
void steps_put(
	struct steps *steps, enum step_cut cut, uint32_t phase, uint64_t ns, uint64_t lag_ns);

/* True when the user asked for this step (or for no particular one). */
bool steps_wanted(const struct steps *steps, uint64_t step);

/* How long the steps that the user asked for took, the running one until ns. */
uint64_t steps_wanted_ns(const struct steps *steps, uint64_t ns);

/* By so much is until more than from. */
static inline uint64_t steps_rise(uint64_t from, uint64_t until)
{
	return until > from ? until - from : 0;
}

#endif
