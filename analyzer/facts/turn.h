/* SPDX-License-Identifier: MIT */
/*
 * Which loader a program takes from, in order of time: stretches in which all loads came from one
 * line. What is beyond TURNS_LIMIT of them is not known. Plain data; an all-zero struct is empty.
 */
#ifndef ANALYZER_FACTS_TURN_H
#define ANALYZER_FACTS_TURN_H

#include <stdint.h>

#include "collector/base/vec.h"

#define TURNS_LIMIT 256u

struct turns {
	struct turn {
		uint64_t end_ns; /* of its last load */
		uint32_t place;
	} items[TURNS_LIMIT];
	uint32_t count;
};

/* What passes between a loop and the workers of its loader, as one process has recorded it. */
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

/* A load; in order of their ends. */
void turns_add(struct turns *turns, uint32_t place, uint64_t end_ns);

#endif
