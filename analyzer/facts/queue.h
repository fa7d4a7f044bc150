/* SPDX-License-Identifier: MIT */
/*
 * What passes between a loop and the workers of its loader, as it was recorded in one process
 * (messages with numbers, loads), and what follows from that of all of them. Plain data.
 */
#ifndef ANALYZER_FACTS_QUEUE_H
#define ANALYZER_FACTS_QUEUE_H

#include <stdint.h>

#include "collector/base/vec.h"

#define QUEUE_LIMIT (1u << 20) /* of each that are kept of a process */

struct queue_message {
	uint64_t at_ns; /* its writing began */
	uint32_t number;
};

struct queue_ask {
	uint64_t begin_ns, end_ns;
};

struct queue {
	VEC(struct queue_message) messages;
	VEC(struct queue_ask) asks; /* in order of their ends */
};

/* What the batches of a loader did when the loop asked for them; asks 0: not known. */
struct depth {
	uint64_t asks, left_out; /* that got a batch; of which it is not known */
	uint64_t none, missing;  /* no batch lay ready; not the one whose turn it was */
	double ready;            /* on average */
	unsigned most;           /* asked for and not taken, at most */
	unsigned workers;
	double take_ns;    /* of asks whose batch lay ready: what taking it takes */
	double longest_ns; /* that a worker took for a batch */
	double average_ns; /* the same on average */
	unsigned
		prefetch; /* for each worker, at which the loop would hardly wait; 0: no more helps, or not known */
	double now_ns,
		then_ns; /* from a batch to the next: by the same model as it was, and with that */
};

#endif
