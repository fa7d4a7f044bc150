/* SPDX-License-Identifier: MIT */
/*
 * Samples of the stacks of threads that feed the device: whose turn it is, when, and the
 * record. How a stack is read is the business of who knows the interpreter
 * (collector_options.read_stack).
 *
 * A thread is looked at while it has recorded something in the last second or has been busy
 * since the last look; when none is, nothing is due and an idle process is left to sleep. Each look
 * is counted as the recording's own cost (sampler_ns), and looks become rarer when they are dear.
 * Drain thread only.
 */
#ifndef COLLECTOR_DRAIN_STACKS_H
#define COLLECTOR_DRAIN_STACKS_H

#include <stdint.h>

#include "collector/buffer/options.h"
#include "collector/drain/rhythm.h"
#include "collector/drain/slew.h"
#include "collector/write/lane.h"

#define STACKS_BLOCK 32u /* samples that wait to be written together */

struct stacks {
	const struct collector_options *options;
	unsigned count;
	struct record records[STACKS_BLOCK];
	struct rhythm rhythm;
	uint64_t awake_ns; /* when a thread was worth a look last */
};

void stacks_begin(struct stacks *stacks, const struct collector_options *options);

/* When to come back for the sake of the samples; RHYTHM_NEVER: not at all. */
uint64_t stacks_due_ns(const struct stacks *stacks);

/* Look at every thread that is worth it, if it is time; samples go into the lane in blocks. */
void stacks_take(struct stacks *stacks, struct lane *lane, struct writer *writer,
	const struct slew *slew, uint64_t now_ns);

/* What has not gone into the lane yet. */
void stacks_write(struct stacks *stacks, struct lane *lane, struct writer *writer, uint64_t now_ns);

#endif
