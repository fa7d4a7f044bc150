/* SPDX-License-Identifier: MIT */
/*
 * What code the host runs while the device idles: samples of the stack of the thread that steps,
 * counted for the line that they were taken in when the account says that such time was the
 * code's. Samples come in the order of time and wait here, because the account runs behind; of
 * more than CODE_WAITING the oldest are given up. They are written in blocks, so that some come
 * when the account is beyond them: for those the last CODE_PAST stretches of such code are kept.
 * Not thread-safe.
 */
#ifndef ANALYZER_CODE_H
#define ANALYZER_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "analyzer/steps/series.h"
#include "analyzer/timeline/spot.h"
#include "collector/base/queue.h"

#define CODE_WAITING 65536u
#define CODE_PAST    16384u
#define CODE_NO_STEP UINT64_MAX
#define CODE_MAKING  UINT32_MAX       /* in place of a gap: in the wait for a batch, or making it */
#define CODE_ASIDE   (UINT64_MAX - 1) /* in something that is no step */
/* Samples of several threads that lie closer are of one look at all of them. */
#define CODE_LOOK_NS 2000000u

/* instead: of a thread that the one that steps waits for, whose own sample tells of its wait. */
struct code_sample {
	uint64_t at_ns;
	uint32_t place, stack;
	bool instead;
};

/* The host ran code, and the device idled for it. */
struct code_stretch {
	uint64_t begin, end, step;
	uint32_t gap;
};

struct code {
	struct spots *spots;
	const struct lookup *lookup;
	QUEUE(struct code_sample) samples;
	struct code_sample held;         /* the last one; at_ns 0: none */
	QUEUE(struct code_stretch) past; /* disjoint, ascending */
	size_t of_part, of_step;         /* the latest of them: since any cut, since a step's end */
	size_t of_rest;                  /* since a tail's end */
};

void code_release(struct code *code);

/*
 * The thread was at a place; ascending, but for what comes late. What comes instead of another
 * one's of the same look is counted, and that one is not. 0 or -ENOMEM.
 */
int code_add(struct code *code, struct code_sample sample);

/* No sample follows. */
void code_finish(struct code *code);

/*
 * The host runs code from begin to end, and the device idles for it, in a step (CODE_NO_STEP: in
 * none that counts); gap: the spot of the two calls around it, 0: unknown, or CODE_MAKING.
 * Ascending; samples from before are dropped. Without memory those that come late are not counted.
 */
void code_charge(struct code *code, uint64_t begin, uint64_t end, uint32_t gap, uint64_t step);

/* What was charged since the last cut is of a step, or of none (series.h). */
void code_cut(struct code *code, enum step_cut cut);

/* What was charged so far is of no step any more. */
void code_restart(struct code *code);

#endif
