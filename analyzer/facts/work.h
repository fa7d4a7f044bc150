/* SPDX-License-Identifier: MIT */
/*
 * What the main thread of a process did, in order of time: waits for data, and for what a loader's
 * worker waits. The life of the process is kept in at most WORK_PARTS parts of one length, which is
 * doubled when they are too many, so that any two of a run's processes can be compared over the
 * same stretch of time. Plain data; not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_FACTS_WORK_H
#define ANALYZER_FACTS_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "collector/format/record.h"

#define WORK_PARTS 128u

enum work_kind {
	WORK_LOAD,  /* takes the next batch out of a loader */
	WORK_IDLE,  /* has nothing to do: waits in a queue between processes or threads */
	WORK_FILE,  /* blocks in reads of files, or where they are opened */
	WORK_OTHER, /* blocks in something else: time that passes, the network, its threads */
	WORK_LOCK,  /* waits for what lets in one process at a time: the lock of a file */
	WORK_ENTER, /* the same, or idles: a lock of multiprocessing, the program's or a queue's */
	WORK_CPU,   /* all threads of the process, on processors */
	WORK_DELAY, /* is ready, but has no processor */
	WORK_KINDS
};

/* A wait for a batch. */
struct fact_load {
	uint64_t ns;
	uint32_t index, place; /* how many came before it */
};

struct work_part {
	double ns[WORK_KINDS];
	double bytes; /* of WORK_FILE */
	uint32_t loads;
};

struct work {
	uint64_t from_ns, until_ns; /* both 0: nothing yet */
	uint64_t part_ns;
	struct work_total {
		uint64_t ns, at_ns; /* the last reading; at 0: none */
	} cpu, delay;
	struct work_part parts[WORK_PARTS];
};

/* Sums of a stretch of time. */
struct work_sums {
	double ns[WORK_KINDS];
	double bytes, loads, span_ns; /* span: of it, what the process lived */
};

/* Note an interval; bytes counts for WORK_FILE. One that begins before the first is cut. */
void work_add(
	struct work *work, enum work_kind kind, uint64_t begin_ns, uint64_t end_ns, uint64_t bytes);

/* A running total: processor time, and time without a processor. */
void work_cpu(struct work *work, uint64_t at_ns, uint64_t total_ns);
void work_delay(struct work *work, uint64_t at_ns, uint64_t total_ns);

/* The innermost frame there is of what passes things between processes or threads. */
bool work_is_queue(const struct lookup *lookup, const struct meta_PLACE *place);

/* A blocking call of libc (INPUT) that reads, opens or looks up a file. */
bool work_is_of_files(const struct record *record);

/* What a blocking call of libc (INPUT) was to a worker. */
enum work_kind work_of_wait(const struct lookup *lookup, const struct record *record);

/*
 * Decide what WORK_ENTER was. The queues of a loader's workers are asked with a time limit, which a
 * `with` statement does not have: in those it was a lock of the program.
 */
void work_enter(struct work *work, bool of_loader);

/* All between the two times; what lies in a part counts as spread over it evenly. */
struct work_sums work_between(const struct work *work, uint64_t begin_ns, uint64_t end_ns);

#endif
