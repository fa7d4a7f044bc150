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

#include "analyzer/device/join_state.h"

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
