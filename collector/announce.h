/* SPDX-License-Identifier: MIT */
/*
 * Sends, into each frame, the definitions that the events of that frame refer to:
 * threads, calls, texts, places. So a frame can be read without the ones before it, and
 * what no event refers to never reaches the file. Which ids a frame has already is
 * kept as the number of the frame per id, so a new frame costs nothing.
 *
 * Native places are resolved to module, offset and function here, once each.
 * Drain thread only.
 */
#ifndef COLLECTOR_ANNOUNCE_H
#define COLLECTOR_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/collector.h"
#include "collector/format/codec.h"
#include "collector/ring.h"

#define ANNOUNCE_CALL_LIMIT 4096u

struct announce {
	struct encoder *encoder;
	uint32_t frame;           /* number of the frame being filled, from 1 */
	uint32_t *names, *places; /* frame that has the id */
	uint32_t calls[ANNOUNCE_CALL_LIMIT];
	uint32_t rings[LIVE_RING_LIMIT];
	const struct collector_call *call_table;
	unsigned call_count;
	/* Per kind of record: slots that hold ids of texts. */
	struct {
		uint8_t count;
		uint8_t offsets[3];
		uint8_t has_place;
	} kinds[RECORD_KIND_LIMIT];
};

/* 0 or -ENOMEM. */
int announce_init(struct announce *announce, struct encoder *encoder,
	const struct collector_call *calls, unsigned call_count);

/* The encoder begins a new frame. */
void announce_next_frame(struct announce *announce);

/* True for a record that refers to nothing. */
static inline bool announce_is_plain(const struct announce *announce, const struct record *record)
{
	return record->call == 0 && record->kind < RECORD_KIND_LIMIT &&
	       announce->kinds[record->kind].count == 0 &&
	       announce->kinds[record->kind].has_place == 0;
}

/* Definitions for one record of a ring's thread. 0 or -ENOSPC. */
int announce_record(struct announce *announce, const struct record *record);

/* The thread that owns the ring. 0 or -ENOSPC. */
int announce_thread(struct announce *announce, const struct ring *ring, unsigned index);

/* Its name may have changed: send it again with its next event. */
void announce_forget_thread(struct announce *announce, unsigned index);

#endif
