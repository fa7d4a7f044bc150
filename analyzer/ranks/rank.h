/* SPDX-License-Identifier: MIT */
/*
 * What the processes of a run called of NCCL, kept when their traces are closed again. Filled by
 * meets.h.
 */
#ifndef ANALYZER_RANKS_RANK_H
#define ANALYZER_RANKS_RANK_H

#include "analyzer/collectives/collectives.h"
#include "analyzer/tables/view.h"

/* A process, and what it called. */
struct run_rank {
	uint64_t identity, host; /* identity_of(), identity_host() */
	VEC(struct collectives_row) rows;
	VEC(char *) names; /* of the rows' communicators, own; NULL: not known */
	VEC(struct collectives_arrival) arrivals;
	VEC(uint64_t) communicators; /* of the arrivals: hash of its name */
};

/* All-zero: empty. */
struct run_meets {
	VEC(struct run_rank) ranks;
	VEC(struct tables_cell) cells;
};

#endif
