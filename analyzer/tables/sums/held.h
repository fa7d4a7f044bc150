/* SPDX-License-Identifier: MIT */
/*
 * The memory of a device: what a framework's allocator held of it, and what the program asked the
 * device for. A call that failed and is made again with the same size, by the same line, is a
 * retry, unless the allocator has given up between them.
 */
#ifndef ANALYZER_TABLES_HELD_H
#define ANALYZER_TABLES_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"
#include "collector/format/value.h"

#define HELD_EARLY 64u /* steps that are told apart, from the beginning */

/* Something done with memory: how often, how long, how much, how often in each early step. */
struct held_takes {
	uint64_t count, ns, bytes, early[HELD_EARLY];
};

/* An all-zero struct has seen nothing. */
struct tables_held {
	bool told; /* by an allocator */
	uint64_t now[MEMORY_RESERVED + 1], most[MEMORY_RESERVED + 1];
	uint64_t allocations, outs, retries, failed;
	struct record failing; /* the last call, if it failed */
	struct held_takes mallocs, frees, pinned;
};

/* A MEMORY; an ALLOC, in a step. */
void held_memory(struct tables_held *held, const struct record *memory);
void held_call(struct tables_held *held, uint64_t step, const struct record *call);

/* Of the steps behind the first ones (and what came before them). False: too many for that. */
bool held_after(const struct held_takes *takes, uint64_t first_steps, uint64_t *ret_count);

#endif
