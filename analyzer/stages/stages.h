/* SPDX-License-Identifier: MIT */
/*
 * The stages of training as stretches of time, from operators and ranges of a framework in the
 * order of their ends. Loading, the optimiser's step and the zeroing of gradients are ranges of the
 * framework's own. Backward reaches from the first to the last of the functions of one backward
 * pass, on whatever thread they ran; forward from the first operator before it, since the stage
 * before, to its begin, without gradients that are zeroed meanwhile. An evaluation has no backward
 * pass, so it is no stage.
 *
 * Stages are those of one thread: the first that steps an optimiser, or loads or zeroes gradients
 * as long as none does. When two threads step optimisers, backward functions of others cannot be
 * told apart and are left out. Not thread-safe; an all-zero struct has seen nothing.
 */
#ifndef ANALYZER_STAGES_H
#define ANALYZER_STAGES_H

#include <stdbool.h>
#include <stdint.h>

enum stage {
	STAGE_LOADING,
	STAGE_FORWARD,
	STAGE_BACKWARD,
	STAGE_OPTIMIZER,
	STAGE_ZERO_GRAD,
	STAGE_COUNT
};

extern const char *const stage_names[STAGE_COUNT];

/* What an operator is. */
enum stage_class {
	STAGE_IS_WORK, /* any operator, or a call that gives the device work */
	STAGE_IS_LOADING,
	STAGE_IS_BACKWARD, /* one function of the pass */
	STAGE_IS_OPTIMIZER,
	STAGE_IS_ZERO_GRAD,
};

#define STAGE_HOLES 4u

struct stage_hole {
	uint64_t begin_ns, end_ns;
};

struct stage_span {
	enum stage stage;
	uint32_t thread;
	uint64_t begin_ns, end_ns;
	struct stage_hole holes[STAGE_HOLES]; /* that belong to another stage */
	unsigned hole_count;
};

#define STAGES_MOST 3u /* at a time */

struct stages {
	bool known, stepped, crowded; /* the thread is; it steps an optimiser; others do too */
	uint32_t thread;
	uint64_t at_ns;                     /* end of the last stage */
	uint64_t work_ns, next_ns;          /* begin of the first work since, and behind backward */
	uint64_t backward_ns, backward_end; /* end 0: none is open */
	struct stage_hole holes[STAGE_HOLES]; /* in the forward pass */
	unsigned hole_count;
};

/* What an operator ends, the earliest first. Returns how many. */
unsigned stages_add(struct stages *stages, enum stage_class class, uint32_t thread,
	uint64_t begin_ns, uint64_t end_ns, struct stage_span ret_spans[STAGES_MOST]);

/* Nothing more comes. */
unsigned stages_finish(struct stages *stages, struct stage_span ret_spans[STAGES_MOST]);

#endif
