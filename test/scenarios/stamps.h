/* SPDX-License-Identifier: MIT */
/*
 * What stamps.py is to scripts: stamps of a program's own steps, printed as one line at its end.
 *
 * stamps_begin(), then stamps_step() at the end of each step; stamps_mark() before and
 * stamps_spent(cause) after a statement tell how long it took; stamps_end() waits for the device.
 * A program has one set of stamps, and one thread that makes them.
 */
#ifndef SCENARIOS_STAMPS_H
#define SCENARIOS_STAMPS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel.h"

#define STAMPS_MOST 4096

#define MUST(call)                                                                                 \
	do {                                                                                       \
		int error_ = (call);                                                               \
		if (error_) {                                                                      \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(4);                                                                   \
		}                                                                                  \
	} while (0)

/* Parts of a step keep their names and calls, so that a report can name them. */
#define PART __attribute__((noipa))

#define GRID  DIM3(64, 1, 1)
#define BLOCK DIM3(256, 1, 1)

static struct stamps {
	long last, ends[STAMPS_MOST];
	int steps, spans;
	struct {
		const char *cause;
		long begin, end;
	} span[STAMPS_MOST];
} stamps_all;

static inline long stamps_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static inline void stamps_mark(void)
{
	stamps_all.last = stamps_now();
}

static inline void stamps_begin(void)
{
	stamps_mark();
	stamps_all.ends[0] = stamps_all.last;
}

static inline void stamps_spent(const char *cause)
{
	if (stamps_all.spans == STAMPS_MOST)
		abort();
	int i = stamps_all.spans++;
	stamps_all.span[i].cause = cause;
	stamps_all.span[i].begin = stamps_all.last;
	stamps_mark();
	stamps_all.span[i].end = stamps_all.last;
}

static inline void stamps_step(void)
{
	stamps_mark();
	if (++stamps_all.steps == STAMPS_MOST)
		abort();
	stamps_all.ends[stamps_all.steps] = stamps_all.last;
}

static inline void stamps_end(void)
{
	struct stamps *s = &stamps_all;
	MUST(cudaDeviceSynchronize());
	long end = stamps_now();
	int warm = s->steps >= 30 ? 10 : s->steps > 1;
	long steady = s->steps - warm, step = steady ? (end - s->ends[warm]) / steady : 0;
	printf("stamps {\"steps\": %d, \"warm\": %d, \"step_ns\": %ld, ", s->steps, warm, step);
	printf("\"end_ns\": %ld, \"gaps\": [], \"ends\": [%ld", end, s->ends[0]);
	for (int i = 1; i <= s->steps; i++)
		printf(", %ld", s->ends[i]);
	printf("], \"spans\": [");
	for (int i = 0; i < s->spans; i++)
		printf("%s[\"%s\", %ld, %ld]", i ? ", " : "", s->span[i].cause, s->span[i].begin,
			s->span[i].end);
	printf("]}\n");
}

/* Work of the host that takes that long on a core. */
static inline void host_work(long us)
{
	for (long begin = stamps_now(); stamps_now() - begin < us * 1000;)
		continue;
}

#endif
