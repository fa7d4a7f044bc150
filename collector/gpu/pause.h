/* SPDX-License-Identifier: MIT */
/*
 * Which records of the device are wanted when recording is switched off and on: those whose call
 * was made while it was on, however late the device came to them. So every operation in the trace
 * has its call, and every call its operation. The record of the call usually comes first and
 * decides for its correlation; where it has not come, the record's own begin does.
 *
 * The state of the source is told accordingly: ended at the one change, active at the other.
 *
 * Drain thread only; gpu_pause_expect() before there is one.
 */
#ifndef COLLECTOR_GPU_PAUSE_H
#define COLLECTOR_GPU_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"
#include "collector/format/value.h"

extern bool gpu_pause_is_expected __attribute__((visibility("hidden")));

/* Recording may be switched off: remember calls from the first one on. Else all are wanted. */
void gpu_pause_expect(bool expected);

/* What gpu_pause_wants() says when pauses are expected. */
bool gpu_pause_decide(const struct record *record);

/* Whether a record that was read belongs into the trace. */
static inline bool gpu_pause_wants(const struct record *record)
{
	return __builtin_expect(!gpu_pause_is_expected, 1) || gpu_pause_decide(record);
}

/* The next change of state to tell, the oldest first; false: there is none. */
bool gpu_pause_next_state(enum source_state *ret_state, uint64_t *ret_ns);

/* In the child of a fork: the source is not active there. */
void gpu_pause_forget(void);

#endif
