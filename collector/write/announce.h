/* SPDX-License-Identifier: MIT */
/*
 * Sends, into each frame, the definitions that the events of that frame refer to:
 * threads, calls, texts, places, stacks. So a frame can be read without the ones before it, and
 * what no event refers to never reaches the file. Which ids a frame has already is
 * kept as the number of the frame per id, so a new frame costs nothing.
 *
 * Native places are resolved to module, offset and function here, once each.
 * Drain thread only.
 */
#ifndef COLLECTOR_WRITE_ANNOUNCE_H
#define COLLECTOR_WRITE_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/base/intern.h"
#include "collector/buffer/options.h"
#include "collector/buffer/ring.h"
#include "collector/codec/codec.h"

#define ANNOUNCE_CALL_LIMIT 4096u

struct announce {
	struct encoder *encoder;
	uint32_t frame;                    /* number of the frame being filled, from 1 */
	uint32_t *names, *places, *stacks; /* frame that has the id */
	uint32_t calls[ANNOUNCE_CALL_LIMIT];
	uint32_t rings[LIVE_RING_LIMIT];
	collector_call_of *call_of;
	unsigned call_count;
	/* Per kind of record: slots that hold ids of texts. */
	struct {
		uint8_t count;
		uint8_t offsets[3];
		uint8_t has_place;
	} kinds[RECORD_KIND_LIMIT];
};

/* 0 or -ENOMEM. */
int announce_init(struct announce *announce, struct encoder *encoder, collector_call_of *call_of,
	unsigned call_count);

/* The encoder begins a new frame. */
void announce_next_frame(struct announce *announce);

/* True when the frame has all that a record refers to; false: announce_record() is to look. */
static inline bool announce_is_done(const struct announce *announce, const struct record *record)
{
	unsigned kind = record->kind, call = record->call;
	uint32_t frame = announce->frame, place = record->place, missing = 0;
	/* half of all: only a name */
	if (kind == RECORD_DEVICE_KERNEL && record->name < INTERN_ID_LIMIT)
		return announce->names[record->name] == frame;
	if (kind >= RECORD_KIND_LIMIT || call >= ANNOUNCE_CALL_LIMIT || kind == RECORD_STACK)
		return false;
	if (call != 0)
		missing = announce->calls[call] ^ frame;
	if (announce->kinds[kind].has_place != 0 && place != 0)
		missing |= place < INTERN_ID_LIMIT ? announce->places[place] ^ frame : 1;
	for (unsigned i = 0; i < announce->kinds[kind].count; i++) {
		uint32_t id;
		memcpy(&id, (const char *)record + announce->kinds[kind].offsets[i], sizeof(id));
		if (id != 0)
			missing |= id < INTERN_ID_LIMIT ? announce->names[id] ^ frame : 1;
	}
	return missing == 0;
}

/* Definitions for one record of a ring's thread. 0 or -ENOSPC. */
int announce_record(struct announce *announce, const struct record *record);

/* The thread that owns the ring. 0 or -ENOSPC. */
int announce_thread(struct announce *announce, const struct ring *ring, unsigned index);

/* Its name may have changed: send it again with its next event. */
void announce_forget_thread(struct announce *announce, unsigned index);

#endif
