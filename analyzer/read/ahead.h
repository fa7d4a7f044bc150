/* SPDX-License-Identifier: MIT */
/*
 * A file's frames and what is in them, as walk_next() and decoder_next() give it, in the same
 * order; where that is allowed and the machine has a second processor, decoded by a thread that is
 * ahead of who wants them. The thread goes from one sound frame to the next, from the second one
 * on; with whatever else the walk meets (the end of the file, damage, a newer version) it is over.
 *
 * Blocks of events lie in a room of some of the largest ones, so that memory is bounded: the
 * thread waits when it is full. Definitions are read by the caller's side, as their texts are
 * large. One thread calls; the walk is the caller's again once a step was no WALK_FRAME.
 */
#ifndef ANALYZER_AHEAD_H
#define ANALYZER_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/read/walk.h"
#include "collector/codec/codec.h"

struct ahead;

struct ahead_frame {
	struct frame_info info;
	uint64_t begin, offset; /* in the file: of the frame, behind it */
};

/* Of a walk and with a decoder of the caller's; no thread yet. NULL when out of memory. */
struct ahead *ahead_new(struct walk *walk, struct decoder *decoder);
void ahead_free(struct ahead *ahead); /* NULL: nothing */

/*
 * There may be a thread from the next frame on, or none that is not there yet: it is of no use
 * where much is unwanted. Without memory or a processor for it there is none all the same.
 */
void ahead_allow(struct ahead *ahead, bool allowed);

/*
 * The next step of the walk, as walk_next(), and where it went; what was left of the frame before
 * is passed over. A thread passes over nothing that is unwanted.
 */
int ahead_frame(struct ahead *ahead,
	bool (*unwanted)(const struct frame_info *info, const void *data), const void *data,
	struct ahead_frame *ret_frame);

/* The next item of that frame, or of what the decoder was fed since, as decoder_next(). */
int ahead_item(struct ahead *ahead, struct item *ret_item);

/* As decoder_skipped(), of what was given out; once the file has no more frames. */
uint64_t ahead_skipped(const struct ahead *ahead);

#endif
