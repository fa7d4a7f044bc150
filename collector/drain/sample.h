/* SPDX-License-Identifier: MIT */
/*
 * Figures of the process, the host and the threads that feed the device (procstat.h) as events
 * of the drain thread, one for each figure, in a lane of their own (write/lane.h): they need no
 * ring and do not count as activity of the program. Drain thread only.
 */
#ifndef COLLECTOR_DRAIN_SAMPLE_H
#define COLLECTOR_DRAIN_SAMPLE_H

#include <stdint.h>

#include "collector/drain/slew.h"
#include "collector/write/lane.h"

/* Read them all and write them with the time of the reading. */
void sample_write(
	struct lane *lane, struct writer *writer, const struct slew *slew, uint64_t now_ns);

/*
 * The same of the threads that have fed the device, some at most. What the kernel does not tell of
 * a thread that runs is said once, as the state of the source "threads". How many were read.
 */
unsigned sample_threads(
	struct lane *lane, struct writer *writer, const struct slew *slew, uint64_t now_ns);

#endif
