/* SPDX-License-Identifier: MIT */
/*
 * What a run is held against: a row for each thing counted, as an exact number in so many steps.
 * Made from the summaries of runs of one program; what differs between them varies, and is judged
 * by nobody. text/baseline_text.h has its form as text.
 *
 * Owns its texts. Not thread-safe; an all-zero struct is an empty baseline.
 */
#ifndef ANALYZER_GATE_BASELINE_H
#define ANALYZER_GATE_BASELINE_H

#include "analyzer/gate/row.h"

#define BASELINE_TEXT 128u

struct baseline_version {
	char name[BASELINE_TEXT], value[BASELINE_TEXT];
};

struct baseline {
	char program[BASELINE_TEXT], framework[BASELINE_TEXT];
	uint64_t world_size, runs, steps;
	VEC(struct baseline_version) versions;
	VEC(uint64_t) times; /* 10th percentile of the steps of each run, ns */
	gate_rows rows;
	int64_t rank;                /* below 0: of whatever rank a run is of */
	VEC(struct baseline) others; /* of the run's other ranks, in order; rows and steps alone */
};

/* Of count runs of one program with the same ranks, 1 and more. 0 or -ENOMEM. */
int baseline_of(struct baseline *baseline, const struct summary *runs, size_t count);

void baseline_release(struct baseline *baseline);

/* That of the rank; NULL: it has none, and ranks are told apart. */
const struct baseline *baseline_rank(const struct baseline *baseline, int64_t rank);

/*
 * The run is not of the program that the baseline is of: why, into buffer; NULL: it is. Framework,
 * program and number of ranks count; versions do not.
 */
const char *baseline_refuses(
	const struct baseline *baseline, const struct summary *run, char *buffer, size_t size);

#endif
