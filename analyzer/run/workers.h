/* SPDX-License-Identifier: MIT */
/*
 * The processes that another one of the run has started: how many lived at a time, and how much of
 * its life each was on a processor. Noted file by file, asked once all have been read. Plain data.
 */
#ifndef ANALYZER_WORKERS_H
#define ANALYZER_WORKERS_H

#include "analyzer/run/process.h"

struct worker {
	uint64_t parent, begin_ns, end_ns, cpu_ns;
};

typedef VEC(struct worker) run_workers;

struct workers_summary {
	unsigned count;               /* at a time, at most */
	double busy_least, busy_most; /* of one's life; below 0: not known */
};

/* Note a process that has been read. 0 or -ENOMEM. */
int workers_note(run_workers *workers, const struct process *process);

/* Of those that pid has started. */
struct workers_summary workers_of(const run_workers *workers, uint64_t pid);

#endif
