/* SPDX-License-Identifier: MIT */
/*
 * What is known of calls by their thread, place, kind and kernel or function: the operator around
 * them, and how much of the thread's time before and behind them belongs to it. Means over all that
 * were seen. Bounded; plain data, an all-zero struct knows nothing.
 */
#ifndef ANALYZER_CARRY_LEARNT_H
#define ANALYZER_CARRY_LEARNT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"

/* Powers of two. */
#define LEARNT_CALLS 8192u
#define LEARNT_GAPS  16384u

#define LEARNT_BEHIND 4u /* operators without a call between two calls */

/* The operator that most have, by how much it leads, and how many had it since. */
struct learnt_op {
	uint32_t name, place, lead, hits;
	uint8_t scope, framework;
};

struct learnt_call {
	uint64_t key; /* 0: free */
	uint64_t seen;
	uint64_t enclosed, lead_ns,
		tail_ns; /* calls with an operator around them, sums over these */
	struct learnt_op around;
	/* Up to the thread's next call, of all where that is known; of it, in operators. */
	uint64_t after, after_ns, after_within_ns;
	/* With operators behind them that have no call, in order: the same. */
	struct learnt_behind {
		uint64_t followed, later_ns, long_ns;
		struct learnt_op op;
	} behind[LEARNT_BEHIND];
};

struct learnt {
	struct learnt_call calls[LEARNT_CALLS];
	uint32_t count, gap_count;
	struct learnt_gap {
		uint64_t key, ns, within_ns;
	} gaps[LEARNT_GAPS];
};

/* What a call is known by; never 0. */
uint64_t learnt_key(uint32_t thread, const struct record *call);

/* The call of that key, which follows one of before, is going to be learnt soon. */
void learnt_ahead(const struct learnt *learnt, uint64_t before, uint64_t key);

/* The call's entry, made if need be; NULL: there is no room. */
struct learnt_call *learnt_find(struct learnt *learnt, uint64_t key);

/* One more such call has ended, as far as operators go. */
void learnt_see(struct learnt_call *call);

/* So long lay between two calls of these keys that followed, so much of it in operators. */
void learnt_gap(
	struct learnt *learnt, uint64_t before, uint64_t key, uint64_t ns, uint64_t within_ns);

/*
 * Of such a gap, what is in operators, when they fill nearly all of it: who has no processor for a
 * while has none inside of them. 0: they do not.
 */
uint64_t learnt_filled(const struct learnt *learnt, uint64_t before, uint64_t key, uint64_t ns);

/* It has an operator around it, and so much of the time beside it belongs to that. */
void learnt_around(
	struct learnt_call *call, const struct record *op, uint64_t lead_ns, uint64_t tail_ns);

/* So long it is up to the next call, so much of it in operators. */
void learnt_after(struct learnt_call *call, uint64_t ns, uint64_t within_ns);

/* How much longer such a time is than the mean, where operators fill nearly all of it; else 1. */
double learnt_longer(const struct learnt_call *known, uint64_t ns);

/* Behind it comes one without a call, so much later, and that many such before that one. */
void learnt_behind(
	struct learnt_call *call, unsigned index, const struct record *op, uint64_t later_ns);

/*
 * The operator around this call, and those behind it; of kind RECORD_NONE unless three of four
 * such calls have them. Whether it is known that one is around it, or none; known may be NULL.
 */
bool learnt_tell(const struct learnt_call *known, const struct record *call,
	struct record *ret_around, struct record ret_behind[LEARNT_BEHIND]);

#endif
