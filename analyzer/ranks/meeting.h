/* SPDX-License-Identifier: MIT */
/*
 * When the ranks of a run came to the collectives of one of them, collective by collective. A
 * collective is the same one in all ranks by its communicator and its number there. Not
 * thread-safe.
 */
#ifndef ANALYZER_RANKS_MEETING_H
#define ANALYZER_RANKS_MEETING_H

#include <stdbool.h>

#include "analyzer/ranks/rank.h"

/* A rank that comes to a collective. */
struct coming {
	uint64_t communicator, host_ns, device_ns, identity;
	uint32_t number, row, step;
	uint16_t rank, ranks;
	bool own; /* of the process that is shown */
};

struct meeting {
	VEC(struct coming) comings;
};

/* One collective, of which all ranks are known. */
struct met {
	const struct coming *first, *last, *own; /* of its ranks; who came last; the shown one */
	size_t count;
	bool by_device;  /* all of them by the begin of the kernel, else by the call */
	uint64_t own_ns; /* when the shown one came */
	uint64_t ns;     /* so long it waited for the last one */
	uint64_t gap_ns; /* so long after the one before it the last one came */
};

/* What is released by meeting_release(), also after a failure. 0 or -ENOMEM. */
int meeting_of(
	struct meeting *ret_meeting, const struct run_meets *meets, const struct run_rank *shown);
void meeting_release(struct meeting *meeting);

/* The next one in which the shown process is; *at is 0 at first. False: there is none. */
bool meeting_next(const struct meeting *meeting, size_t *at, struct met *ret_met);

#endif
