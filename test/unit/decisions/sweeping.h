/* SPDX-License-Identifier: MIT */
/*
 * A sweep over pieces and work that a test lays down by hand: its parts, made anew by begin() and
 * freed by end(), and the two things that tests do with it. State is static, one sweep at a time.
 */
#ifndef TEST_UNIT_DECISIONS_SWEEPING_H
#define TEST_UNIT_DECISIONS_SWEEPING_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "analyzer/timeline/sweep.h"

#define JOIN_NS 10u /* a pause up to this belongs to launching */
#define K       DEVICE_CLASS_COMPUTE
#define N       DEVICE_CLASS_COMM
#define C       DEVICE_CLASS_COPY

#define P(from, to, what)                                                                          \
	{                                                                                          \
		.begin = (from), .end = (to), .kind = (what)                                       \
	}

static struct sweep *sweep;
static struct host host;
static struct spots *spots;
static struct steps *steps;

static uint32_t other; /* a spot beside 0 */

static inline const struct meta_PLACE *no_place(const void *context, uint32_t id)
{
	(void)context;
	(void)id;
	return NULL;
}

static inline void begin(void)
{
	const struct lookup lookup = {.place = no_place};
	spots = spots_new();
	steps = calloc(1, sizeof(*steps));
	sweep = malloc(sizeof(*sweep));
	cr_assert(spots != NULL && steps != NULL && sweep != NULL);
	other = spot_index(spots, spots_find(spots, &lookup, 0, 1, SPOT_WAIT));
	steps_init(steps, 0);
	cr_assert(eq(int, sweep_init(sweep, spots, &lookup, steps), 0));
	host_init(&host, JOIN_NS, 0);
}

static inline void end(void)
{
	sweep_release(sweep);
	host_release(&host);
	spots_free(spots);
	free(sweep);
	free(steps);
}

/* A piece of the host's time from the last one's end on is added, and the time runs to to_ns. */
static inline void run_to(struct sweep_end stretch)
{
	if (stretch.wait_begin_ns == 0)
		stretch.wait_begin_ns = stretch.to_ns;
	sweep_run(sweep, &host, &stretch);
	host_drop(&host, stretch.to_ns);
}

/* Sums of step 0 up to step until. */
static inline void sums(uint64_t first, uint64_t until, uint64_t *ret_values)
{
	series_sum(&sweep->account, first, until, ret_values);
}

#endif
