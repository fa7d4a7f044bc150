/* SPDX-License-Identifier: MIT */
/*
 * What a report has of the other processes of its run: those that make batches for the one that it
 * is about, and the rank that this one waits for.
 */
#ifndef ANALYZER_REPORT_RESULT_OTHERS_H
#define ANALYZER_REPORT_RESULT_OTHERS_H

#include <stdint.h>

#include "analyzer/facts/pool.h"
#include "analyzer/ranks/late.h"

/* Processes that the analysed one has started, at most so many at a time. */
struct report_workers {
	unsigned count;
	uint64_t processors;                  /* that they may run on; 0: not known */
	double busy_least_pct, busy_most_pct; /* of a processor, by CPU time; REPORT_UNKNOWN_PCT */
	struct pool pool;                     /* with the loop that they work for */
	struct depth depth;                   /* of the loader's queues */
};

/* The rank that this one waits for, if it does. */
struct report_peer {
	struct late late;
	char words[240]; /* what holds that one up; or empty */
};

#endif
