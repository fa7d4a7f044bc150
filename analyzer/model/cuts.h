/* SPDX-License-Identifier: MIT */
/*
 * What a model keeps about the ends of its steps until the device has reached them: the cuts that
 * the host made, and the stretches of time that wait for them. pace.h works on it. Plain data of
 * one model; not thread-safe.
 */
#ifndef ANALYZER_MODEL_CUTS_H
#define ANALYZER_MODEL_CUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/device/device.h"
#include "analyzer/timeline/sweep.h"
#include "collector/base/circle.h"

#define PACE_STRETCHES 4096u

/* The end of a step's calls. */
struct pace_cut {
	uint64_t host_ns;
	uint64_t until_op; /* number of the first operation that is not before it */
	uint64_t streams;  /* whose work has to be done, bit per index */
	enum step_cut kind;
	uint32_t phase; /* number, of what is put aside */
};

/* A cut as the host made it, until the sweep has reached it. */
struct pace_end {
	uint64_t host_ns;
	enum step_cut kind;
	uint32_t phase;
};
_Static_assert(DEVICE_STREAM_LIMIT <= 64, "a bit for every stream");

struct pace_stretch {
	struct sweep_end end;
	uint64_t until_piece; /* of the host's, to be dropped when it is swept */
};

struct pace {
	CIRCLE(struct pace_cut) cuts;        /* of steps of which it is not known when they end */
	struct pace_end ends[STEPS_PENDING]; /* a circle: the sweep's cuts */
	uint64_t first_end, until_end;
	uint64_t kernels, copies; /* streams of the running step, bit per index */
	CIRCLE(struct pace_stretch) stretches;
	uint64_t limit_ns; /* of what was retired last */
	bool measured;     /* the last stretch was */
	bool is_beyond;    /* a step ended behind the window, and so do all after it */
};

#endif
