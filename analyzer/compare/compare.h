/* SPDX-License-Identifier: MIT */
/*
 * What changed from one side to another, per step: the causes that explain the difference in step
 * time, and below them findings, lines, operators, kernels, copies and API functions. A side of
 * several runs counts as their mean; its time is the median of the runs.
 *
 * Of runs with several ranks each rank is compared with the same one of the other side: the
 * comparison is that of the lowest one, with the others in others.
 *
 * Time of rows is the device's for kernels and copies, the host's for all others. Texts belong to
 * the summaries. Not thread-safe.
 */
#ifndef ANALYZER_COMPARE_H
#define ANALYZER_COMPARE_H

#include "analyzer/summary/summary.h"

enum compare_part {
	COMPARE_SITES,
	COMPARE_OPERATORS,
	COMPARE_KERNELS,
	COMPARE_COPIES,
	COMPARE_CALLS,
	COMPARE_PART_COUNT
};
extern const char *const compare_part_names[COMPARE_PART_COUNT];

enum compare_state {
	COMPARE_NEW,
	COMPARE_GONE,
	COMPARE_WORSE, /* costs more, by more than noise */
	COMPARE_BETTER,
	COMPARE_SAME,
	COMPARE_STATE_COUNT
};
extern const char *const compare_state_names[COMPARE_STATE_COUNT];

/* Both sides of a number per step. */
struct compare_pair {
	double base, next;
	bool known; /* on both sides */
};

struct compare_row {
	const char *name;           /* of a site: its kind */
	struct summary_place place; /* of a site */
	struct compare_pair count, bytes, ns;
	enum compare_state state; /* by the count, else by the time */
};

struct compare_cause {
	const char *cause;
	struct compare_pair ns;
};

struct compare_finding {
	const struct summary_finding *base, *next; /* NULL: none */
	struct compare_pair exposed_ns;
	enum compare_state state;
};

/* A row that did not change alike on all ranks. */
struct compare_uneven {
	enum compare_part part;
	const struct compare_row *row; /* of the first of them */
	size_t ranks, rank_count;      /* where in uneven_ranks those begin on which it did */
};

struct comparison {
	const struct summary *base, *next; /* the first run of each */
	struct summary *own;               /* of another rank: where these are, or NULL */
	size_t base_runs, next_runs;
	struct compare_pair step_ns, reader_pct, busy_pct, host_pct;
	double base_spread_pct, next_spread_pct; /* of the runs' times; below 0: one run only */
	double explained_ns;   /* of the difference in step time, by the causes that grew with it */
	double unexplained_ns; /* what no cause says, or the cause "unexplained" */
	VEC(struct compare_cause) causes; /* by what they changed */
	VEC(struct compare_finding) findings;
	VEC(struct compare_row) rows[COMPARE_PART_COUNT]; /* that changed, by what that costs */
	VEC(struct comparison) others;     /* the other ranks that are on both sides, in order */
	VEC(struct compare_uneven) uneven; /* by what it costs */
	VEC(int64_t) uneven_ranks;
};

/* next - base; 0 where one is not known. */
double compare_change(const struct compare_pair *pair);

#endif
