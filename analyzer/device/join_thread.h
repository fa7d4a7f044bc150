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
/* The device's clock is fitted to the host's: what is told may seem to be as much too early. */
#define JOIN_SLACK_NS 1000000u

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
	uint64_t latest_ns;  /* newest end of a call */
	uint64_t dropped_ns; /* end of the last one that is no longer kept */
	uint64_t forgotten;  /* calls with lower numbers were looked for, to drop them */
	CIRCLE(struct join_call) calls;
	CIRCLE(struct join_api) apis; /* at most JOIN_APIS: the caller sees to it */
};

void join_thread_release(struct join_thread *thread);

/* As join_thread_keep_api(), where there is no room, or it belongs before others. */
int join_thread_sort_api(struct join_thread *thread, struct join_api api);

/* Keep a record of the interface until its call comes. 0 or -ENOMEM. */
static inline int join_thread_keep_api(struct join_thread *thread, const struct join_api *api)
{
	uint64_t count = circle_count(&thread->apis);
	if (count == thread->apis.capacity ||
		(count > 0 &&
			circle_at(&thread->apis, thread->apis.until - 1)->begin_ns > api->begin_ns))
		return join_thread_sort_api(thread, *api);
	*circle_at(&thread->apis, thread->apis.until++) = *api;
	return 0;
}

/* Calls with numbers below forgotten go. */
void join_thread_drop_calls(struct join_thread *thread, uint64_t forgotten);

/* Room for one more call. 0 or -ENOMEM. */
int join_thread_reserve_call(struct join_thread *thread);

/* Keep a call that begins last of all; those with numbers below forgotten go. 0 or -ENOMEM. */
static inline int join_thread_keep_call(
	struct join_thread *thread, const struct join_call *call, uint64_t forgotten)
{
	if (thread->forgotten != forgotten)
		join_thread_drop_calls(thread, forgotten);
	if (circle_count(&thread->calls) == thread->calls.capacity &&
		join_thread_reserve_call(thread) < 0)
		return -ENOMEM;
	if (call->end_ns > thread->latest_ns)
		thread->latest_ns = call->end_ns;
	*circle_at(&thread->calls, thread->calls.until++) = *call;
	return 0;
}

/*
 * Whether a record of the interface is part of a call of its thread, or the call part of it.
 * Within one thread one lies within the other; but their clocks are not the same, so a record
 * may also stick out, by less than half of the shorter of the two and by JOIN_SLACK_NS at most.
 */
enum join_fit {
	JOIN_APART,
	JOIN_PART,  /* of the call */
	JOIN_AROUND /* the call is part of the record */
};

enum join_fit join_fit_loosely(
	uint64_t begin_ns, uint64_t end_ns, uint64_t call_begin_ns, uint64_t call_end_ns);

static inline enum join_fit join_fit(
	uint64_t begin_ns, uint64_t end_ns, uint64_t call_begin_ns, uint64_t call_end_ns)
{
	if (call_begin_ns <= begin_ns && end_ns <= call_end_ns)
		return JOIN_PART;
	if (begin_ns <= call_begin_ns && call_end_ns <= end_ns)
		return JOIN_AROUND;
	return join_fit_loosely(begin_ns, end_ns, call_begin_ns, call_end_ns);
}

/*
 * The call that a record is part of, or the first free one that is part of it; NULL: none, as where
 * the record begins after latest_ns.
 */
struct join_call *join_thread_find_call(
	struct join_thread *thread, uint64_t begin_ns, uint64_t end_ns);

#endif
