/* SPDX-License-Identifier: MIT */
/*
 * The collectives of one process as rows of a table, and how long it waited in them for others,
 * if the run's folder has those: a collective is the same one in all ranks by its communicator and
 * its number there, and a rank has come when its kernel begins, if that is known of all of
 * them, else when it called. Only those are looked at of which all ranks are known,
 * on one host, whose clock they share.
 */
#ifndef ANALYZER_RANKS_MEETS_H
#define ANALYZER_RANKS_MEETS_H

#include "analyzer/ranks/rank.h"
#include "analyzer/read/reader.h"
#include "analyzer/tables/source.h"

/* Note a process that has been read; collectives NULL: none. 0 or -ENOMEM. */
int meets_note(struct run_meets *meets, const struct reader *reader,
	const struct collectives *collectives);

/* Give the rows about a process to the source; once. run may be NULL. 0 or -ENOMEM. */
int meets_show(struct run_meets *meets, const struct meta_RUN *run, struct tables_source *source);

void meets_release(struct run_meets *meets);

#endif
