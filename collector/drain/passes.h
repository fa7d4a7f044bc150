/* SPDX-License-Identifier: MIT */
/*
 * What the drain thread does in one turn: all rings once around, states that are new,
 * and every second the clocks, samples, counters and losses. No waiting and no thread in
 * here, so that tests can call it step by step.
 */
#ifndef COLLECTOR_PASSES_H
#define COLLECTOR_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/drain/slew.h"
#include "collector/drain/state.h"
#include "collector/gpu/collect.h"
#include "collector/write/writer.h"

struct passes {
	struct writer writer;
	struct slew slew;
	const struct collector_options *options;
	struct live_ring *own_ring; /* of the drain thread; does not count as activity */
	uint64_t begin_ns;          /* of the first event */
	uint64_t begin_realtime_ns;
	uint64_t taken; /* records of other threads since the beginning */
	uint64_t taken_at_second;
	uint64_t second_ns; /* of the last second's work */
	bool described;     /* the run description is in the file */
	const char *described_memory;
	bool told[STATE_LIMIT];
	uint64_t counters_told[COUNTER_COUNT];
	struct gpu_collect gpu;
	struct record scratch[CODEC_BLOCK_LIMIT];
};

/* 0 or -ENOMEM. first is the early clock measurement. */
int passes_init(struct passes *passes, const struct writer_options *options, struct live *live,
	struct sink *sink, const struct clock_triple *first);

/* Once around. Returns records taken (of all threads). */
uint64_t passes_run(struct passes *passes);

/* The second's work, if a second has gone by and something was recorded, or if forced. */
void passes_second(struct passes *passes, bool forced);

/* Write the frame if it is a second old, or if forced. 0 or a negative code. */
int passes_flush(struct passes *passes, bool forced);

/* Everything that is left, then the closing frame. 0, or a negative code: no end in the file. */
int passes_finish(struct passes *passes, const char *reason);

/* Current time of the trace's clock, ns. */
uint64_t passes_now_ns(const struct passes *passes);

/* An event that found no ring. Any thread. */
void passes_count_unowned(uint64_t ticks);
void passes_forget_unowned(void);

#endif
