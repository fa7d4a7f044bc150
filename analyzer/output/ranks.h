/* SPDX-License-Identifier: MIT */
/*
 * What the report says of the run's other ranks, beside the one that it is about: of each the
 * process that trains, as JSON that is kept when its trace is closed. Not thread-safe.
 */
#ifndef ANALYZER_OUTPUT_RANKS_H
#define ANALYZER_OUTPUT_RANKS_H

#include "analyzer/output/output.h"
#include "analyzer/text/json.h"
#include "collector/base/vec.h"

struct output_rank {
	int64_t rank;
	uint64_t launches, steps;
	struct out text;
};

struct output_ranks {
	VEC(struct output_rank) items;
};

/* The process trains for its rank, as far as its processes are known by now. */
bool output_ranks_trains(const struct output_ranks *ranks, const struct output_process *about);

/* Keep what is said of a process of a rank instead of another of that rank. 0 or -ENOMEM. */
int output_ranks_keep(struct output_ranks *ranks, const struct output_process *about,
	const struct output_run *run, const struct report *report);

/* The member "other_ranks" of an object that is open: all but main, in order. NULL: none. */
void output_ranks_json(struct json *json, struct output_ranks *ranks, int64_t main);

/* Members of an object that is open: what is said of a rank besides its number. */
void output_rank_json(struct json *json, const struct output_run *run, const struct report *report);

void output_ranks_release(struct output_ranks *ranks);

#endif
