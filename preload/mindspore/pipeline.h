/* SPDX-License-Identifier: MIT */
/*
 * The queues behind the stages of MindSpore's data sets, asked for by the stage behind or by the
 * loop: how many rows one held when it was asked, and how long its rows were waited for, added
 * up from one batch of the loop to the next. What a queue holds the framework says itself, by
 * functions that take its lock for a moment, on a thread that takes the same lock next; what a
 * stage is called is asked for once, when its queue is made.
 *
 * Any thread. Stages are known by their addresses; a new stage takes the place of the one that
 * was there, or of the one whose queue was asked least lately. No lock of ours; errno is kept.
 */
#ifndef PRELOAD_MINDSPORE_PIPELINE_H
#define PRELOAD_MINDSPORE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Look up what tells of queues in a library (dlsym), and count from now on. NULL, or the function
 * that it does not have; then nothing is counted.
 */
const char *pipeline_find(void *library);

/* A stage gets its queue: its name and those of its parents are known by now. */
void pipeline_made(const void *stage);

/* How many rows a stage's queue is asked for holds, and when. */
struct pipeline_ask {
	const void *stage; /* NULL: not counted */
	uint64_t begin_ns; /* 0: it holds some */
	unsigned slot;
	int queued;
};

/* Before a row is taken out of a queue, and behind that. */
void pipeline_asks(const void *stage, struct pipeline_ask *ret_ask);
void pipeline_got(const struct pipeline_ask *ask);

/* The loop has been given a batch, or their end: record what its data set did since the last. */
void pipeline_tell(void);

#endif
