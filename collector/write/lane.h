/* SPDX-License-Identifier: MIT */
/*
 * Events that the drain thread makes itself: what the device reports, samples. They go under
 * a thread of their own in the trace and straight into the pending frame; the ring that
 * stands for the thread in the live file is always empty. Numbers of events go on from block to
 * block, as those of threads do. Drain thread only; an all-zero struct is a lane that has written
 * nothing.
 */
#ifndef COLLECTOR_WRITE_LANE_H
#define COLLECTOR_WRITE_LANE_H

#include "collector/write/writer.h"

struct lane {
	unsigned ring; /* index + 1; 0: not made yet */
	uint64_t next; /* number of the next event */
};

/*
 * Append count records, times in ns, 1 to CODEC_BLOCK_LIMIT; name and tid are those of the thread,
 * tid 0: of none that the system knows. What the writer does not take is counted as lost.
 */
void lane_write(struct lane *lane, struct writer *writer, const char *name, uint32_t tid,
	const struct record *records, unsigned count, uint64_t now_ns);

/* Where losses of the lane are told, by cause. */
struct ring_gap *lane_gaps(const struct lane *lane, struct writer *writer);

#endif
