/* SPDX-License-Identifier: MIT */
/*
 * Arrows of a time line, from a call to what the device did for it, in the form that
 * PyTorch's own traces have: a start on the row of the calling thread, an end at the
 * begin of the operation, both with the correlation id of the device side.
 *
 * The start is told by the device side's record of the call (DEVICE_API), in whose middle it
 * lies, because that is within the call as it was recorded, whichever of the two is
 * longer. Of the records of one call that are nested one makes a start. Ids of the first file are
 * the correlation ids; those of later files are told apart by a higher part. Times are
 * CLOCK_MONOTONIC ns. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_CHROME_FLOW_H
#define ANALYZER_CHROME_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/text/out.h"
#include "collector/format/record.h"

#define CHROME_FLOW_RECENT 1024u /* power of two */

struct chrome_flow {
	uint64_t file;                       /* number of the file in work, from 0 on */
	uint32_t recent[CHROME_FLOW_RECENT]; /* correlation ids of starts */
};

struct chrome_arrow {
	bool start;   /* else it is an end, on the row of the operation */
	uint64_t tid; /* of a start: the row */
	uint64_t id, ns;
};

/* The next records are of another file. */
void chrome_flow_next_file(struct chrome_flow *flow);

/* True when the record has an arrow; then *ret_arrow is it. */
bool chrome_flow_of(
	struct chrome_flow *flow, const struct record *record, struct chrome_arrow *ret_arrow);

/* The arrow as an event of the process, times counted from begin_ns; tid: the operation's row. */
void chrome_flow_put(struct out *out, const struct chrome_arrow *arrow, uint64_t pid, uint64_t tid,
	uint64_t begin_ns);

#endif
