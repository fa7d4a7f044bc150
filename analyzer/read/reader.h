/* SPDX-License-Identifier: MIT */
/*
 * One trace file, read once from front to back with bounded memory: frames are
 * checked, decompressed and decoded one at a time; definitions (names, places, calls,
 * threads) are collected on the way and stay. A file without a clean end is read
 * together with its live file (collector/format/live.h), so that the records which a
 * killed process had not written yet are delivered as well. Damage costs the frame in
 * which it lies: the reader goes on at the next valid header and counts what is missing.
 *
 * Definitions that an event refers to have always been read before the event is
 * delivered, where the file has them at all; those of the live file only by lookup. Not
 * thread-safe; one user per reader.
 */
#ifndef ANALYZER_READER_H
#define ANALYZER_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/err.h"
#include "collector/format/codec.h"

struct reader;

/* What is known about the state of a file; final after the last block. */
struct reader_health {
	uint64_t events;  /* delivered */
	uint64_t lost;    /* counted by the recorder */
	uint64_t missing; /* events in damaged or missing frames, as far as headers tell */
	uint64_t damaged_frames;
	uint64_t damaged_bytes;
	uint64_t missing_frames; /* gaps in the sequence numbers */
	uint64_t duplicate_frames;
	uint64_t reordered_frames; /* came after one with a higher number */
	uint64_t foreign_frames;   /* of another process: left out */
	uint64_t recovered;        /* events taken from the live file */
	uint64_t skipped_items;    /* of unknown kind */
	uint64_t first_damage_offset;
	bool clean_end; /* the end map was there */
	bool truncated; /* the file ends inside a frame */
	bool newer;     /* some frame was written by a newer version */
	char end_reason[24];
};

/*
 * Open a trace file, or a live file (NAME.live) whose trace is missing. 0; -errno;
 * -ERR_NOT_A_TRACE, -ERR_NEWER_VERSION, -ERR_TRUNCATED (empty or no whole frame, and no live file
 * to take over from).
 * *ret_reader is untouched on failure.
 */
int reader_open(const char *path, struct reader **ret_reader, struct err_at *reterr);
void reader_close(struct reader *reader);

/*
 * Deliver only events that overlap [from_ns, to_ns] (CLOCK_MONOTONIC); other frames are skipped
 * unread.
 */
void reader_set_window(struct reader *reader, uint64_t from_ns, uint64_t to_ns);

/*
 * Next event block or meta (names, places, calls and threads are also kept for the lookups
 * below). ITEM_END at the end. Memory is the reader's until the next call. 0 or a negative code
 * that ends the reading (system errors only: damage is skipped and counted).
 */
int reader_next(struct reader *reader, struct item *ret_item, struct err_at *reterr);

/* Lookups; unknown ids give "" / NULL. Valid until reader_close(). */
const char *reader_text(const struct reader *reader, uint32_t id);
const struct meta_PLACE *reader_place(const struct reader *reader, uint32_t id);
const char *reader_call(const struct reader *reader, uint16_t id);
const struct meta_THREAD *reader_thread(const struct reader *reader, uint32_t id);
const struct meta_RUN *reader_run(const struct reader *reader); /* NULL before it was read */
const char *reader_path(const struct reader *reader);

/* For progress: bytes read so far, bytes of the file. */
uint64_t reader_position(const struct reader *reader);
uint64_t reader_size(const struct reader *reader);

const struct reader_health *reader_health(const struct reader *reader);

#endif
