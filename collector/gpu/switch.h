/* SPDX-License-Identifier: MIT */
/*
 * What of CUPTI's activity interface is on: our callbacks and our clock, the kinds of records
 * that are wanted, the calls one by one (calls.def) or as a whole where the release knows
 * no single ones. Whoever has taken the phase (state.h) calls in here, so one thread at a time;
 * hooks are kept off.
 */
#ifndef COLLECTOR_GPU_SWITCH_H
#define COLLECTOR_GPU_SWITCH_H

#include <stdbool.h>

/*
 * Register and switch on; memory: records of allocations too. 0; a negative code: nothing is on,
 * and ret_reason (GPU_REASON_BYTES) says why.
 */
int gpu_switch_on(bool memory, char *ret_reason);

/* Errors are not looked at: this is how everything is left. */
void gpu_switch_off(void);

/* Another tool comes: it finds threads named as we found them. */
void gpu_switch_leave(void);

#endif
