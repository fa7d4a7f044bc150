/* SPDX-License-Identifier: MIT */
/*
 * Accounting for stretches of time. A wait closes the stretch before it; the stretch becomes a job
 * that is done once everything the device will report about it is there, or too much waits.
 * Not thread-safe.
 */
#ifndef ANALYZER_MODEL_SETTLE_H
#define ANALYZER_MODEL_SETTLE_H

#include "analyzer/model/state.h"

/* A wait or another reason to account for everything up to here. */
struct model_wait {
	uint64_t begin_ns, end_ns;
	uint64_t own; /* number + 1 of the operation that the waiting call is; 0: none */
	uint64_t spare_ns;
	uint32_t spot;
	uint32_t stream; /* index, or DEVICE_ALL_STREAMS */
	uint32_t count;  /* of the oldest operations not retired, that have ended then */
	bool exact;
	bool foreign;  /* of a thread whose time is not accounted: tells about the device only */
	uint8_t aside; /* of struct sweep_end */
	bool maybe;    /* only the device's own times can tell that the call waited */
	bool open;     /* nothing says that what was asked for has ended */
};

/* A stretch of time, closed by a wait, that is not accounted for yet. */
struct model_job {
	struct model_wait wait;
	uint64_t empty_ns; /* of struct sweep_end */
	uint64_t until_op; /* number of the first operation that is not part of it */
	uint64_t asked_op; /* of the first that was not asked for before the wait */
	bool seen;         /* something that was waited for is known */
	bool away;         /* the host was in what may be no step */
};

/* Close everything up to the wait. 0 or -ENOMEM. */
int model_settle(struct model *model, const struct model_wait *wait);

/* Account for what is ready; all: for the rest too. 0 or -ENOMEM. */
int model_run_jobs(struct model *model, bool all);

#endif
