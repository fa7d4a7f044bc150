/* SPDX-License-Identifier: MIT */
/*
 * Which call asked for which operation of the device. A call of ours and the record that
 * the device side's interface makes of the same call (DEVICE_API) are of the same thread
 * and one lies within the other; that record and the operations share a correlation id.
 *
 * Calls come in order, the rest in any order, sooner or later than the call by some
 * thousands of records, or never; so all sides wait for the others, at the start of a trace
 * for as many calls as a model looks at first and a merge holds back: at most
 * JOIN_ENTRIES_MOST ids, JOIN_WAITING operations, JOIN_APIS records of the interface in a
 * thread, and as many calls as the owner keeps. What is given up is told and counted: its
 * times are still those of the device, only the call is not known.
 *
 * The states of the source and the window (source.h) say for which calls a record is to be
 * expected. What is found is told through struct join_sink, at once. Times are
 * CLOCK_MONOTONIC ns. Not thread-safe.
 */
#ifndef ANALYZER_JOIN_H
#define ANALYZER_JOIN_H

#include "analyzer/device/join_table.h"
#include "analyzer/device/join_thread.h"
#include "analyzer/device/join_wait.h"
#include "analyzer/device/source.h"
#include "collector/base/idmap.h"

#define JOIN_NO_CALL UINT64_MAX

struct join_sink {
	void *context;
	/* An operation of a call, or of none that is known (JOIN_NO_CALL). 0 or -ENOMEM. */
	int (*operation)(void *context, uint64_t call, const struct record *operation);
	/* So many that were told without a call are of this one, from begin to end. */
	void (*claimed)(
		void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns);
};

struct join_counts {
	uint64_t operations;
	uint64_t matched; /* of them: their call is known */
	uint64_t untimed; /* of them: their times were lost */
	uint64_t apis;    /* records of the interface, the second of a call not counted */
	uint64_t away; /* of them: asked for before the source was active, or before the window */
	uint64_t late; /* of them: reported when the calls of that time were forgotten */
	uint64_t crowded; /* records that were given up because too many waited */
};

struct join {
	struct join_sink sink;
	struct join_table table;
	struct join_wait wait;
	struct join_counts counts;
	struct idmap threads;
	struct join_thread *list, *last;
	uint64_t forgotten; /* calls with lower numbers are no longer waited for */
	struct source source;
};

struct join *join_new(const struct join_sink *sink); /* NULL when out of memory */
void join_free(struct join *join);

/* A call that may own operations; number ascends, times ascend in a thread. 0 or -ENOMEM. */
int join_call(struct join *join, uint32_t tid, uint64_t number, uint64_t begin_ns, uint64_t end_ns);

/* DEVICE_API; DEVICE_KERNEL, DEVICE_COPY and DEVICE_SET. 0 or -ENOMEM. */
int join_api(struct join *join, const struct record *record);
int join_operation(struct join *join, const struct record *record);

/* Of any of those kinds; others are left alone. 0 or -ENOMEM. */
int join_record(struct join *join, const struct record *record);

/* The owner no longer keeps calls below number. */
void join_forget(struct join *join, uint64_t number);

/* Nothing more comes: what waits is told as operations without a call. 0 or -ENOMEM. */
int join_finish(struct join *join);

#endif
