/* SPDX-License-Identifier: MIT */
/*
 * Between records and the msgpack stream inside a frame (FORMAT.md).
 *
 * The encoder fills memory that the caller owns (the drain thread gives it a
 * piece of the live file, so that a killed process loses nothing): event blocks
 * as columns with frame-local sites, definitions and states as maps. When a block
 * does not fit it returns -ENOSPC and has changed nothing: write the frame out,
 * encoder_reset(), try again. Nothing in an encoded frame refers to another
 * frame except ids of names, places, threads and calls, and numbers of matched events.
 *
 * The decoder walks the bytes of one frame and never trusts them: every count
 * is bounded by the bytes that are left, unknown kinds and keys are skipped and
 * counted. Neither side allocates per event. Not thread-safe; one user each.
 */
#ifndef COLLECTOR_CODEC_CODEC_H
#define COLLECTOR_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/err.h"
#include "collector/codec/frame.h"
#include "collector/format/definition.h"
#include "collector/format/record.h"

/* No encoded frame is larger than this before compression. */
#define CODEC_FRAME_LIMIT (1u << 20)
/* No event block holds more records; the caller splits. */
#define CODEC_BLOCK_LIMIT 4096u

struct encoder;

/* New encoder writing to buffer (at least 64 KiB, kept by the caller). NULL when out of memory. */
struct encoder *encoder_new(void *buffer, size_t capacity);

/* NULL is fine. */
void encoder_free(struct encoder *encoder);

/* Begin an empty frame in the same buffer: forget sites and deltas. */
void encoder_reset(struct encoder *encoder);

/* Bytes encoded so far, and what they hold. */
size_t encoder_size(const struct encoder *encoder);
uint32_t encoder_content(const struct encoder *encoder); /* enum frame_content */
uint64_t encoder_events(const struct encoder *encoder);
uint64_t encoder_first_ns(const struct encoder *encoder); /* UINT64_MAX: no event */
uint64_t encoder_last_ns(const struct encoder *encoder);

/*
 * Append count (1 to CODEC_BLOCK_LIMIT) records of one thread, times in ns, in the order of the
 * thread's ring; first_sequence is the number of the first one in that ring. 0 or -ENOSPC (nothing
 * changed); an empty frame of CODEC_FRAME_LIMIT takes any block, a smaller buffer may need smaller
 * ones. Slots that no FIELD of the kind names are not kept; a kind that record.def does not have
 * travels as kind 0 and is skipped by readers.
 */
int encoder_add_events(struct encoder *encoder, uint32_t thread, uint64_t first_sequence,
	const struct record *records, unsigned count);

/*
 * The same of 1 to CODEC_BLOCK_LIMIT records of which each is matched with a call of the same
 * thread: only which call it is of is kept, its times are not.
 */
int encoder_add_matched(struct encoder *encoder, uint32_t thread, uint64_t first_sequence,
	const struct record *records, unsigned count);

/*
 * The record of a call that the device's side reports (DEVICE_API) is matched with the event that
 * the call is in the file: thread (an id, not 0) and number. No field of its kind is used for that.
 */
static inline void codec_match(struct record *record, uint32_t thread, uint64_t number)
{
	record->name = thread;
	record->b = number;
}

static inline bool codec_is_matched(const struct record *record)
{
	return record->kind == RECORD_DEVICE_API && record->name != 0;
}

/*
 * Append a definition or state; NULL texts are sent as "", long ones are cut at 16 KiB. 0 or
 * -ENOSPC (nothing changed), -EINVAL for META_NONE.
 */
int encoder_add_meta(struct encoder *encoder, const struct meta *meta);

enum item_type {
	ITEM_END,
	ITEM_EVENTS,
	ITEM_META,
	ITEM_RAW /* a definition or state as it is: decoder_hand_on() */
};

/* One thing out of a frame; memory belongs to the decoder until the next call. */
struct item {
	enum item_type type;
	uint32_t thread; /* ITEM_EVENTS */
	uint64_t first_sequence;
	uint64_t next_sequence; /* first + what the block covers, also kinds that were skipped */
	const struct record *records;
	unsigned count;
	bool matched;     /* their times are those of the calls that they are matched with */
	struct meta meta; /* ITEM_META */
	const void *raw;  /* ITEM_RAW: its map, in the bytes of the frame */
	size_t raw_bytes;
};

struct decoder;

struct decoder *decoder_new(void); /* NULL when out of memory */
void decoder_free(struct decoder *decoder);

/*
 * From now on records are put where room says that there is room for count of them (NULL: their
 * block is given up), and definitions and states are told as ITEM_RAW, for another decoder to read.
 */
void decoder_hand_on(struct decoder *decoder, struct record *(*room)(void *context, unsigned count),
	void *context);

/* Start on the bytes of one decompressed frame, which must stay until the last item was read. */
void decoder_feed(struct decoder *decoder, const void *bytes, size_t size);

/*
 * Next item. Returns 0 with ret_item->type ITEM_END at the end of the bytes; -ERR_DAMAGED with the
 * offset when they are not what an encoder writes; the rest of this frame is then lost.
 */
int decoder_next(struct decoder *decoder, struct item *ret_item, struct err_at *reterr);

/* Maps and events of unknown kind that were skipped since decoder_new(). */
uint64_t decoder_skipped(const struct decoder *decoder);

#endif
