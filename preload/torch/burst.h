/* SPDX-License-Identifier: MIT */
/*
 * Operators and backward functions are recorded in bursts of whole steps (LIBTRACE_BUDGET): at the
 * ends of steps PyTorch is told to call back, or not to. The trace says where that changes (BURST).
 * All is recorded until something has been given to a device: without one operators are the work.
 *
 * A child that is forked in between records as its parent did, until its first step ends.
 */
#ifndef PRELOAD_TORCH_BURST_H
#define PRELOAD_TORCH_BURST_H

/* What recording may cost, in per mille; 0: whatever it does. Before all else. */
void burst_init(unsigned permille);

/* The callbacks are there. NULL, or why not. */
const char *burst_begin(void);

#endif
