/* SPDX-License-Identifier: MIT */
/*
 * What one reader has counted: which frames and events came out of a trace, which are
 * known to have been there and did not, and what the recorder itself says it lost.
 * Every number that a report prints about the state of a file comes from here.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_TALLY_H
#define ANALYZER_TALLY_H

#include "analyzer/read/health.h"
#include "analyzer/read/ledger.h"
#include "collector/codec/codec.h"
#include "collector/codec/frame.h"

struct tally {
	struct reader_health health;
	struct ledger ledger;
	uint64_t header_missing; /* events of frames of which only the header could be read */
	uint64_t total_events;   /* inside and outside of a window */
	uint64_t end_events, end_lost;
	uint64_t lost_with_number; /* lost after they had a number in their ring */
	uint32_t pid;
	bool has_pid;
};

void tally_release(struct tally *tally);

/* Bytes that are no frame, or a frame that turned out not to be one. */
void tally_damage(struct tally *tally, uint64_t offset, uint64_t bytes);

/* A frame with a sound header cannot be used. 0 or -ENOMEM. */
int tally_missed(struct tally *tally, const struct frame_info *info);

/* A frame can be used. 1: take it; 0: leave it out (a duplicate, another process); -ENOMEM. */
int tally_frame(struct tally *tally, const struct frame_info *info);

/* A block of events, before the window is applied. 0 or -ENOMEM. */
int tally_events(struct tally *tally, const struct item *item);

/* Events among them that say nothing without others that are missing. */
void tally_left_out(struct tally *tally, uint64_t count);

/* A state that says something about the trace itself. */
void tally_meta(struct tally *tally, const struct meta *meta);

/* All is read: work out what is missing. windowed: parts were left out on purpose. */
void tally_finish(struct tally *tally, bool windowed);

#endif
