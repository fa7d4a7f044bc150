/* SPDX-License-Identifier: MIT */
/*
 * The last word of a run that recorded nothing: that it is so, why, and what to do. Said by the
 * run's first process when it ends, and only where somebody asked for a recording of this command
 * (trace-run does; LD_PRELOAD alone reaches programs that were never meant).
 */
#ifndef PRELOAD_NOTHING_H
#define PRELOAD_NOTHING_H

#include "preload/process/process.h"

/*
 * This process has recorded nothing: say so unless another one of the run has, or still may.
 * was_on: recording was on when it ended.
 */
void nothing_tell(const struct process_role *role, bool was_on);

#endif
