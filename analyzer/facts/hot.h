/* SPDX-License-Identifier: MIT */
/*
 * What samples of stacks (STACK) say: the line of the program at which most of a thread's are, but
 * for those in which it waited in a queue, and what a loader's own thread does. Lines beyond
 * HOT_LINES are counted and not told apart. Plain data; an all-zero struct is empty.
 */
#ifndef ANALYZER_FACTS_HOT_H
#define ANALYZER_FACTS_HOT_H

#include "analyzer/facts/work.h"

#define HOT_LINES 128u

struct hot {
	uint64_t samples;
	uint32_t count;
	struct hot_line {
		uint64_t file, line, function;
		uint64_t samples;
	} lines[HOT_LINES];
};

/* The thread of a loader that copies batches into pinned memory. */
struct pin {
	uint64_t samples;
	uint64_t starved; /* of them, waiting for a batch from the workers */
	uint64_t full;    /* waiting for room, since the loop takes none */
	uint64_t begin_ns, end_ns;
};

void hot_add(struct hot *hot, const struct lookup *lookup, const struct record *sample);

/* The line with most samples; NULL: there are none. */
const struct hot_line *hot_most(const struct hot *hot);

/* A sample of a thread that is not the process's first. */
void pin_add(struct pin *pin, const struct lookup *lookup, const struct record *sample);

#endif
