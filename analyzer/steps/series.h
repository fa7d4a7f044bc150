/* SPDX-License-Identifier: MIT */
/*
 * Sums per training step when it is not yet known which steps will count. Warm-up is
 * only recognised once enough steps have been seen, and the last step of a trace may
 * be cut off; so the first SERIES_EARLY steps are kept one by one, the step that is
 * running apart, and the rest as one total. Memory does not grow with steps.
 *
 * A series has a fixed number of values; all are 0 at first. Steps are added in
 * ascending order (a smaller one than before is added to the running step). Not
 * thread-safe; an all-zero struct is an empty series of no values.
 */
#ifndef ANALYZER_SERIES_H
#define ANALYZER_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define SERIES_EARLY 32u

/* What a cut of the time line ends. */
enum step_cut {
	CUT_STEP,
	CUT_BROKEN,    /* a step of which the trace does not have all, or that was stopped */
	CUT_PART,      /* a part of a step, which goes on; what comes next may be none of it */
	CUT_TAIL,      /* the same, and if the step never ends this belongs to the one before */
	CUT_ASIDE,     /* something that is no step, since the last cut */
	CUT_ASIDE_ALL, /* the same since the last step's end */
	CUT_ASIDE_REST /* the same since the last tail's end, which is of the step */
};

/* Parts of the step that ended before stay as they are. */
static inline bool cut_leaves_parts(enum step_cut cut)
{
	return cut == CUT_ASIDE || cut == CUT_ASIDE_REST;
}

/* After that cut parts of a running step are put by; parted: before it some were. */
static inline bool cut_has_parts(enum step_cut cut, bool parted)
{
	return cut == CUT_PART || cut == CUT_TAIL || (cut_leaves_parts(cut) && parted);
}

struct series {
	uint64_t *values; /* running, then late and others, then early steps, width each */
	uint64_t running; /* index of the running step when it is not an early one */
	uint32_t width;
	uint32_t rows; /* there is memory for */
	bool parted;   /* parts of the running step were put by */
};

/* width values per step, with memory for all of them. 0 or -ENOMEM. */
int series_init(struct series *series, uint32_t width);
void series_release(struct series *series);

/*
 * The same without memory as long as all values are 0: before the first series_at() comes
 * series_use(), which takes it for the first steps, unless it has. That is 0 or -ENOMEM. Without
 * memory for later steps their values go to the running one.
 */
void series_init_unused(struct series *series, uint32_t width);
int series_use(struct series *series);

/* All values back to 0. */
void series_reset(struct series *series);

/*
 * The running step, of that number, is cut. Parts are put by until the step ends; what is aside or
 * broken is forgotten.
 */
void series_cut(struct series *series, uint64_t step, enum step_cut cut);

/* No step ends any more: of what was put by the tail counts in sums, if there is one. */
void series_finish(struct series *series, bool tail);

/* A step above the running one begins. */
void series_run(struct series *series, uint64_t step);

/* The values of an early step; as series_at(). */
uint64_t *series_early(struct series *series, uint64_t step);

/* The values of a step, to be added to; valid until the next call. */
static inline uint64_t *series_at(struct series *series, uint64_t step)
{
	if (step < SERIES_EARLY)
		return series_early(series, step);
	if (step > series->running)
		series_run(series, step);
	return series->values;
}

/*
 * Sums of the steps first .. count - 1 into ret_sums (width values). first is at most SERIES_EARLY;
 * a step with index count or above is left out if it is the running one or an early one.
 */
void series_sum(const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_sums);

/*
 * The same without what came after the last step: whether that is part of it is decided by how long
 * it took, which no two runs have in common.
 */
void series_sum_steps(
	const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_sums);

/* Of each value the most in any one of those steps. */
void series_most(const struct series *series, uint64_t first, uint64_t count, uint64_t *ret_most);

#endif
