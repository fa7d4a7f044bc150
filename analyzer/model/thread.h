/* SPDX-License-Identifier: MIT */
/*
 * What the model (model.h) keeps about a thread of the program: whether it launches work, its last
 * calls until the operators around them are known, and the copy that a wait may
 * follow. One per thread, made when its first record comes; plain data.
 */
#ifndef ANALYZER_MODEL_THREAD_H
#define ANALYZER_MODEL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/load.h"
#include "collector/format/record.h"

#define MODEL_PENDING 16u

/* A call whose operators have not ended yet. */
struct model_pending {
	uint64_t begin_ns;
	uint32_t spot;
	bool named, shaped;
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
	uint64_t backward_ns; /* end of the last function of the backward pass */
};

#endif
