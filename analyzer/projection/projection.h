/* SPDX-License-Identifier: MIT */
/*
 * Which work of the device belongs to a stretch of time of a thread: that of the calls which the
 * thread began inside of it. Threads that only help (those of a framework that run the backward
 * pass while another one waits for it) count for the thread that does most.
 *
 * Of each thread PROJECTION_KEPT calls are told apart; beyond, older neighbours become one, so that
 * a stretch that began very many calls ago may have a few more or less where it began. What the
 * device reports late still finds its call. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_PROJECTION_H
#define ANALYZER_PROJECTION_H

#include <stdint.h>

#include "collector/base/vec.h"

#define PROJECTION_KEPT 65536u

/* What a thread was seen to do. One that only runs parts for others helps. */
enum projection_role {
	PROJECTION_WORKS = 1 << 0,
	PROJECTION_RUNS_PARTS = 1 << 1, /* of a backward pass */
	PROJECTION_MARKS = 1 << 2,      /* ranges */
};

struct projection_sum {
	uint64_t operations, device_ns; /* their lengths added up */
	uint64_t first_ns, last_ns;     /* begin of the first, end of the last */
};

struct projection_call {
	uint64_t begin_ns;
	struct projection_sum sum;
};

struct projection_thread {
	uint32_t id;
	uint32_t roles; /* bits of enum projection_role */
	uint64_t weight;
	VEC(struct projection_call) calls; /* ascending */
};

struct projection {
	VEC(struct projection_thread) threads;
	size_t last; /* the thread that was met last */
};

void projection_release(struct projection *projection);

/* A thread did something. 0 or -ENOMEM. */
int projection_weigh(struct projection *projection, uint32_t thread, enum projection_role role);

/* An operation for a call that the thread began at call_ns. 0 or -ENOMEM. */
int projection_add(struct projection *projection, uint32_t thread, uint64_t call_ns,
	uint64_t begin_ns, uint64_t end_ns);

/* What belongs to a stretch of the thread's time, until included. All 0: nothing. */
struct projection_sum projection_of(
	const struct projection *projection, uint32_t thread, uint64_t begin_ns, uint64_t end_ns);

/* The same without what threads that help it began. */
struct projection_sum projection_of_thread(
	const struct projection *projection, uint32_t thread, uint64_t begin_ns, uint64_t end_ns);

#endif
