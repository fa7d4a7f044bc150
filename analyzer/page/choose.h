/* SPDX-License-Identifier: MIT */
/*
 * Which steps of a long run are shown with every event: the first steady one, the one of median
 * length, the longest, and of each cause of lost time the step that lost most to it; or those that
 * the user named.
 *
 * Pure but for the list that it fills.
 */
#ifndef ANALYZER_PAGE_CHOOSE_H
#define ANALYZER_PAGE_CHOOSE_H

#include "analyzer/history/history.h"
#include "collector/base/vec.h"

struct chosen_step {
	uint64_t begin_ns, end_ns;
	uint64_t number;
	const char *why; /* "median", or the name of a cause */
};

typedef VEC(struct chosen_step) chosen_steps;

struct choose_options {
	uint64_t first, until;                             /* the steady steps */
	bool (*named)(const void *context, uint64_t step); /* NULL: none in particular */
	const void *context;
};

/* Ascending, each step once. 0 or -ENOMEM. */
int choose_steps(const struct history *history, const struct choose_options *options,
	chosen_steps *ret_steps);

#endif
