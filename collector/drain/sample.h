/* SPDX-License-Identifier: MIT */
/*
 * Figures of the process and the host (procstat.h) as events of the drain thread, one for each
 * figure, in a lane of their own (write/lane.h): they need no ring and do not count as
 * activity of the program. Drain thread only.
 */
#ifndef COLLECTOR_DRAIN_SAMPLE_H
#define COLLECTOR_DRAIN_SAMPLE_H

#include <stdint.h>

#include "collector/drain/slew.h"
#include "collector/write/lane.h"

/* Read them all and write them with the time of the reading. */
void sample_write(
	struct lane *lane, struct writer *writer, const struct slew *slew, uint64_t now_ns);

#endif
