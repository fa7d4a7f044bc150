/* SPDX-License-Identifier: MIT */
/*
 * The books of one reader: which frames and events came out of a trace, which are
 * known to have been there and did not, and what the recorder itself says it lost.
 * Every number that a report prints about the state of a file comes from here.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_ACCOUNT_H
#define ANALYZER_ACCOUNT_H

#include "analyzer/read/ledger.h"
#include "analyzer/read/reader.h"
#include "collector/format/frame.h"

struct account {
	struct reader_health health;
	struct ledger ledger;
	uint64_t header_missing; /* events of frames of which only the header could be read */
	uint64_t total_events;   /* inside and outside of a window */
	uint64_t end_events, end_lost;
	uint64_t lost_with_number; /* lost after they had a number in their ring */
	uint32_t pid;
	bool has_pid;
};

void account_release(struct account *account);

/* Bytes that are no frame, or a frame that turned out not to be one. */
void account_damage(struct account *account, uint64_t offset, uint64_t bytes);

/* A frame with a sound header cannot be used. 0 or -ENOMEM. */
int account_missed(struct account *account, const struct frame_info *info);

/* A frame can be used. 1: take it; 0: leave it out (a duplicate, another process); -ENOMEM. */
int account_frame(struct account *account, const struct frame_info *info);

/* A block of events, before the window is applied. 0 or -ENOMEM. */
int account_events(struct account *account, const struct item *item);

/* A state that says something about the trace itself. */
void account_meta(struct account *account, const struct meta *meta);

/* All is read: work out what is missing. windowed: parts were left out on purpose. */
void account_finish(struct account *account, bool windowed);

#endif
