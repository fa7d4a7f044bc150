/* SPDX-License-Identifier: MIT */
/*
 * The collectives of one process as rows of a table, and how long it waited in them for others,
 * if the run's folder has those: a collective is the same one in all ranks by its communicator and
 * its number there, and a rank has come when its kernel begins, if that is known of all of
 * them, else when it called. Only those are looked at of which all ranks are known,
 * on one host, whose clock they share.
 */
#ifndef ANALYZER_RUN_MEETS_H
#define ANALYZER_RUN_MEETS_H

#include "analyzer/run/process.h"
#include "analyzer/tables/source.h"

/* A process, and what it called. */
struct run_rank {
	uint64_t pid, host; /* host: hash of its name */
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

/* Note a process that has been read. 0 or -ENOMEM. */
int meets_note(struct run_meets *meets, const struct process *process);

/* Give the rows about a process to the source; once. run may be NULL. 0 or -ENOMEM. */
int meets_show(struct run_meets *meets, const struct meta_RUN *run, struct tables_source *source);

void meets_release(struct run_meets *meets);

#endif
