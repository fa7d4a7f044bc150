/* SPDX-License-Identifier: MIT */
/*
 * What a model knows about where steps end: the marks of the framework, ranges that the program
 * names, and what repeats in the calls of a program that has neither. steps.h works on it. Plain
 * data of one model; not thread-safe.
 */
#ifndef ANALYZER_MODEL_STEPPING_H
#define ANALYZER_MODEL_STEPPING_H

#include <stdint.h>

#include "analyzer/model/marks.h"
#include "analyzer/steps/period.h"
#include "analyzer/steps/vote.h"

struct stepping {
	struct marks marks;
	struct vote loaders;
	uint64_t launches; /* since the last cut */
	uint32_t ranges;   /* that are named like steps */
	uint64_t range_ns; /* begin of the last one */
	/* by period */
	struct period period;
	uint64_t *tokens; /* of the thread that launches most: a circle */
	uint64_t token_count, token_cut;
	uint64_t next_search; /* number of events at which to look for a pattern again */
	uint32_t main_thread;
};

#endif
