/* SPDX-License-Identifier: MIT */
/*
 * What code the host runs while the device idles: samples of the stack of the thread that steps,
 * counted for the line that they were taken in when the account says that such time was the
 * code's. Samples come in the order of time and wait here, because the account runs behind; of
 * more than CODE_WAITING the oldest are given up. Not thread-safe.
 */
#ifndef ANALYZER_CODE_H
#define ANALYZER_CODE_H

#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "analyzer/timeline/spot.h"
#include "collector/base/queue.h"

#define CODE_WAITING 65536u
#define CODE_NO_STEP UINT64_MAX

struct code_sample {
	uint64_t at_ns;
	uint32_t place, stack;
};

struct code {
	struct spots *spots;
	const struct lookup *lookup;
	QUEUE(struct code_sample) samples;
};

void code_release(struct code *code);

/* The thread was at a place. 0 or -ENOMEM. */
int code_add(struct code *code, uint64_t at_ns, uint32_t place, uint32_t stack);

/*
 * The host runs code from begin to end, and the device idles for it, in a step (CODE_NO_STEP: in
 * none that counts); gap: the spot of the two calls around it, 0: unknown. Ascending; samples from
 * before are dropped.
 */
void code_charge(struct code *code, uint64_t begin, uint64_t end, uint32_t gap, uint64_t step);

#endif
