/* SPDX-License-Identifier: MIT */
/*
 * For which rank of a run a process waits in its collectives: whoever's kernel begins last lets
 * all others wait until then. Of steady steps, and of collectives whose kernel's begin is known of
 * every rank; times at which the host called say nothing of when the device got there.
 */
#ifndef ANALYZER_RANKS_LATE_H
#define ANALYZER_RANKS_LATE_H

#include "analyzer/ranks/rank.h"

struct late {
	uint64_t steps, met; /* that had collectives; those. met 0: nothing is known */
	/* all that it waited; the time is counted once where several collectives wait */
	uint64_t waited_ns;
	/* the rank for which it waited longest; count 0: none */
	uint64_t count, ns; /* collectives to which that came last, the wait in these */
	uint64_t next_ns;   /* of that: if it had come together with the one before it */
	uint64_t identity;
	uint32_t rank;
	/* the other way round: those to which this one came last, and how long the others waited */
	uint64_t own_count, own_ns;
};

/* Of a process, in steps first .. until - 1. met 0: nothing is known. 0 or -ENOMEM. */
int late_of(const struct run_meets *meets, uint64_t identity, uint64_t first, uint64_t until,
	struct late *ret_late);

#endif
