/* SPDX-License-Identifier: MIT */
/*
 * One thread of the program as the join sees it (join.h): its calls, until their owner forgets
 * them, and the records of the device side's interface that wait for a call. Both in the order of
 * their begins. Not thread-safe.
 */
#ifndef ANALYZER_JOIN_THREAD_H
#define ANALYZER_JOIN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/circle.h"

#define JOIN_APIS 65536u

struct join_call {
	uint64_t begin_ns, end_ns, number;
	bool taken; /* a record of the interface within it has been found */
};

struct join_api {
	uint64_t begin_ns, end_ns;
	uint32_t correlation;
	uint32_t entry; /* of the correlation in the join's table */
};

struct join_thread {
	struct join_thread *next;
	uint32_t id;
	uint64_t call_hint;  /* position where the next call is likely to be looked for */
	uint64_t newest_ns;  /* begin of the last call */
	uint64_t dropped_ns; /* end of the last one that is no longer kept */
	CIRCLE(struct join_call) calls;
	CIRCLE(struct join_api) apis; /* at most JOIN_APIS: the caller sees to it */
};

void join_thread_release(struct join_thread *thread);

/* Keep a record of the interface until its call comes. 0 or -ENOMEM. */
int join_thread_keep_api(struct join_thread *thread, const struct join_api *api);

/* Keep a call that begins last of all; those with numbers below forgotten go. 0 or -ENOMEM. */
int join_thread_keep_call(
	struct join_thread *thread, const struct join_call *call, uint64_t forgotten);

/* The call around an interval, or the first free one within it; NULL: not there. */
struct join_call *join_thread_find_call(
	struct join_thread *thread, uint64_t begin_ns, uint64_t end_ns);

#endif
