/* SPDX-License-Identifier: MIT */
/*
 * What the drain thread does in one turn: all rings once around, states that are new,
 * and every second the clocks, samples, counters and losses. No waiting and no thread in
 * here, so that tests can call it step by step.
 */
#ifndef COLLECTOR_DRAIN_TURN_H
#define COLLECTOR_DRAIN_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/buffer/options.h"
#include "collector/drain/slew.h"
#include "collector/drain/stacks.h"
#include "collector/drain/still.h"
#include "collector/drain/tell.h"
#include "collector/gpu/collect.h"
#include "collector/write/excerpt.h"
#include "collector/write/lane.h"
#include "collector/write/writer.h"

struct turn {
	struct writer writer;
	struct slew slew;
	struct tell tell;
	const struct collector_options *options;
	uint64_t taken; /* records of the program since the beginning */
	uint64_t taken_at_second;
	uint64_t second_ns;                                  /* of the last second's work */
	uint64_t taken_at_threads, threads_ns, threads_read; /* the last reading, and how many */
	struct lane samples;
	struct stacks stacks;
	struct still still;
	uint32_t frame_before; /* when its work began; another by now: it wrote to the file */
	struct gpu_collect gpu;
	struct excerpt excerpt;
	struct record scratch[CODEC_BLOCK_LIMIT];
};

/* A session begins. 0 or -ENOMEM. options, live and sink are kept; first is the early clock. */
int turn_init(struct turn *turn, const struct collector_options *options, struct live *live,
	struct sink *sink, const struct clock_triple *first);

/* Once around. Returns records taken (of all threads). */
uint64_t turn_run(struct turn *turn);

/* The trace's time, now. */
uint64_t turn_now(const struct turn *turn);

/*
 * The drain thread goes to sleep; it has slept, and was to for wait_ns at most. From then on it
 * works until it goes to sleep again.
 */
void turn_sleeps(struct turn *turn);
void turn_slept(struct turn *turn, uint64_t wait_ns);

/* Stacks of threads, if it is time (stacks_due_ns()). */
void turn_stacks(struct turn *turn);

/*
 * The second's work, if a second has gone by and something was recorded, or if forced. Samples of
 * threads ten times as often, and later twice.
 */
void turn_second(struct turn *turn, bool forced);

/* Once around with what is lost, and the frame is written. 0 or a negative code. */
int turn_everything(struct turn *turn);

/* Write the frame if it is a second old, or if forced. 0 or a negative code. */
int turn_flush(struct turn *turn, bool forced);

/* Everything that is left, then the closing frame. 0, or a negative code: no end in the file. */
int turn_finish(struct turn *turn, const char *reason);

/* In the child of a fork. */
void turn_forget(struct turn *turn);

#endif
