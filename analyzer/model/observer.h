/* SPDX-License-Identifier: MIT */
/*
 * Who else wants to see what the model sees: every call, every operation of the device, and
 * every pair of both that was found, each with the step that the call was made in.
 *
 * Only wanted steps are told (--steps); step 0 is what came before the first step, and
 * which of the following are warm-up is not known before the end. An operation without a
 * known call is told with the step that the calls have reached. When better marks of
 * steps turn up, restart() is called and everything begins again. Any pointer may be NULL. Calls
 * come in the order of their ends, operations and pairs in any. The records are the
 * model's and valid during the call only.
 */
#ifndef ANALYZER_OBSERVER_H
#define ANALYZER_OBSERVER_H

#include "collector/format/record.h"

struct observer {
	void *context;
	/* A call of the runtime or driver: LAUNCH to CALL. 0 or -ENOMEM, as all of them. */
	int (*call)(void *context, uint64_t step, const struct record *call);
	/* DEVICE_KERNEL, DEVICE_COPY, DEVICE_SET. */
	int (*operation)(void *context, uint64_t step, const struct record *operation);
	int (*pair)(void *context, uint64_t step, const struct record *call,
		const struct record *operation);
	void (*restart)(void *context);
};

#endif
