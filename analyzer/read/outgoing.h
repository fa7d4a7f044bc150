/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a block of events on its way out of a file, in the order of the file.
 *
 * Records of calls as the device's side has them, of which a trace only says which calls they are
 * about (matched blocks), get the times of those calls back, so that nobody else has to know. What
 * is about a call that was not read (damaged, outside of the window) is left out and counted.
 * Then the block is cut down to what overlaps the window. Times are CLOCK_MONOTONIC ns. Not
 * thread-safe.
 */
#ifndef ANALYZER_READ_OUTGOING_H
#define ANALYZER_READ_OUTGOING_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/codec/codec.h"
#include "collector/format/recent.h"

struct outgoing {
	uint64_t from_ns, to_ns; /* the window */
	uint64_t unknown;        /* left out: about calls that were not read */
	struct recent *recent;   /* NULL: nothing can be about a call yet */
	struct record *records;  /* of a block that is not as the decoder has it */
};

/* The window is all of the trace. */
void outgoing_init(struct outgoing *outgoing);
void outgoing_release(struct outgoing *outgoing);

bool outgoing_has_window(const struct outgoing *outgoing);

/* The records of the block may be ours after that, until the next call. 0 or -ENOMEM. */
int outgoing_take(struct outgoing *outgoing, struct item *item);

#endif
