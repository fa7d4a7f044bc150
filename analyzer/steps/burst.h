/* SPDX-License-Identifier: MIT */
/*
 * Where the time of unusual steps went. The host's time between two calls belongs to the place of
 * the first one; what a place took in a step, less what it takes in a step in the mean, is its
 * excess. Of the steps with the largest excesses the place is kept. Memory is bounded. Pure, on
 * numbers; an all-zero struct has seen nothing.
 *
 * Where calls only begin work that is waited for later, perhaps in few steps, the wait is the work
 * of all steps since the one before: a step whose largest excess is that is not unusual.
 */
#ifndef ANALYZER_STEPS_BURST_H
#define ANALYZER_STEPS_BURST_H

#include <stdbool.h>
#include <stdint.h>

#define BURST_PLACES 64u  /* of a step, a power of two; what comes after is not looked at */
#define BURST_TOTALS 512u /* of all steps, a power of two */
#define BURST_KEPT   64u

struct burst_place {
	uint32_t place, steps; /* steps: with a call there; of the totals */
	bool loads;            /* the last call there drew a batch */
	uint64_t ns;
};

struct burst_step {
	uint64_t step, excess_ns;
	uint32_t place;
	bool awaits; /* most of it was a wait for results; place is 0 then */
	bool loads;  /* a batch was drawn there */
	bool catches;
};

struct burst {
	struct burst_place running[BURST_PLACES], totals[BURST_TOTALS];
	uint32_t running_count, total_count;
	uint32_t place;                        /* of the last call */
	bool loads;                            /* it drew a batch */
	uint64_t since_ns;                     /* its begin; 0: none */
	uint64_t awaited_ns, total_awaited_ns; /* of the running step, of all */
	uint64_t steps, catches;            /* the latter: of steps that have the time of others */
	struct burst_step kept[BURST_KEPT]; /* in no order */
	uint32_t kept_count;
};

/* A call begins; loads: it draws a batch. */
void burst_call(struct burst *burst, uint32_t place, bool loads, uint64_t ns);

/* Results were waited for for so long. */
void burst_awaited(struct burst *burst, uint64_t ns);

/*
 * The device was behind when the steps before were taken to have ended: this one, which has ended
 * after ns, has their time.
 */
void burst_catches(struct burst *burst, uint64_t step, uint64_t ns);

/* It is no unusual step: it was long by waiting for others, or by their time, as few steps are. */
bool burst_is_of_others(const struct burst *burst, const struct burst_step *step);

/* What the running step has been so far is none of it. */
void burst_forget(struct burst *burst, uint64_t ns);

/* The step ends. */
void burst_end(struct burst *burst, uint64_t step, uint64_t ns);

/* What is known of a step, or NULL. */
const struct burst_step *burst_find(const struct burst *burst, uint64_t step);

/* Nearly every step has calls at that place, and not only some. */
bool burst_is_usual(const struct burst *burst, uint32_t place);

#endif
