/* SPDX-License-Identifier: MIT */
/*
 * What the model (model.h) keeps about a thread of the program: whether it launches work, its last
 * calls until the operators around them are known, the copy that a wait may follow, and what it
 * asks for again and again. One per thread, made when its first record comes; plain data.
 */
#ifndef ANALYZER_MODEL_THREAD_H
#define ANALYZER_MODEL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/load/load.h"
#include "collector/format/record.h"

#define MODEL_PENDING 16u

/* A call whose operators have not ended yet. */
struct model_pending {
	uint64_t begin_ns;
	uint32_t spot;
	bool named, shaped;
};

/* Questions in a row whether the device is done, all answered with no. */
struct model_poll {
	uint64_t begin_ns; /* end of the first */
	uint64_t last_ns;  /* begin of the last */
	uint64_t handle;   /* of the stream or event */
	uint64_t until_op; /* operations that had been given to the device: no more since */
	uint32_t count;
	bool event;
};

struct model_thread {
	struct model_thread *next;
	uint32_t id, tid; /* ours, the system's */
	bool launches;
	uint64_t launch_count;
	struct model_pending pending[MODEL_PENDING]; /* a circle */
	uint32_t pending_count;
	struct record
		copy; /* the last call, when it was a copy that a wait may follow; else kind 0 */
	struct model_poll poll;
	uint64_t backward_ns; /* end of the last function of the backward pass */
};

#endif
