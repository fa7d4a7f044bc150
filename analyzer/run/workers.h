/* SPDX-License-Identifier: MIT */
/*
 * The processes that another one of the run has started: how many lived at a time, how much of
 * its life each was on a processor, and what they did for each batch that the other one took. Noted
 * file by file, asked once all have been read. Plain data.
 */
#ifndef ANALYZER_WORKERS_H
#define ANALYZER_WORKERS_H

#include "analyzer/facts/pool.h"
#include "analyzer/run/process.h"

/* The line of a loader, and when the process took from it last. */
struct worker_turn {
	uint64_t end_ns;
	char loader[96];
};

struct worker {
	uint64_t parent, begin_ns, end_ns, cpu_ns;
	uint64_t number, count; /* which of how many of a loader's; count 0: not known */
	struct process_looks looks;
	struct pin pin;
	struct queue queue;            /* own */
	uint64_t faults;               /* that waited for storage */
	VEC(struct worker_turn) turns; /* of the process's own loaders, in order of time */
	struct work *work;             /* own; NULL: not known */
	uint64_t identity;             /* so is parent */
	char name[64];                 /* of its program */
	/* the line at which most of its stack's samples are, "file:line in function"; "": none */
	char hot[POOL_HOT];
	uint64_t samples, hot_samples;
};

typedef VEC(struct worker) run_workers;

struct workers_summary {
	unsigned count;                       /* at a time, at most */
	double busy_least_pct, busy_most_pct; /* of one's life; -1: not known */
};

/* What a process used of processors, as far as it was asked; 0: not. */
uint64_t workers_cpu_ns(const struct model *model);

/* Time of all processors of the host meanwhile, and when they were busy; 0: not known. */
uint64_t workers_host_ns(const struct model *model, uint64_t *ret_busy_ns);

/* Note a process that has been read. 0 or -ENOMEM. */
int workers_note(run_workers *workers, const struct process *process);

/* Of those that a process has started, by its identity. */
struct workers_summary workers_of(const run_workers *workers, uint64_t identity);

/* The same beside its own work. */
struct pool workers_pool(const run_workers *workers, uint64_t identity, uint64_t processors,
	const struct work *loop);

/*
 * The line of the loader that one of them works for, "file:line": that of the first batch that its
 * parent was given after it had begun, which cannot come before it. NULL: not known.
 */
const char *workers_loader(const run_workers *workers, const struct worker *worker);

void workers_release(run_workers *workers);

#endif
