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

#include <stdint.h>

#include "analyzer/read/health.h"
#include "analyzer/sources/sources.h"
#include "collector/base/err.h"
#include "collector/codec/codec.h"

/* A file is read in a fraction of a second up to this size: memory for a thread is not worth it. */
#define READER_AHEAD_BYTES (8u << 20)

struct reader;

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
 * unread, but for those with definitions and states, of which earlier states of a source
 * (SOURCE_STATE) are delivered too.
 */
void reader_set_window(struct reader *reader, uint64_t from_ns, uint64_t to_ns);

/* Files below the folder are shown without it (sources.h). 0, or -errno when it is not there. */
int reader_set_root(struct reader *reader, const char *folder);

/*
 * Decode in a thread, ahead of who calls reader_next(), where that is possible. For who has much to
 * do with each event; what is delivered is the same. No window may be set once a second frame of
 * the file has been read.
 */
void reader_read_ahead(struct reader *reader);

/*
 * Have a function called before any of the lookups below has another answer, for who lets other
 * threads look up; NULL: no more.
 */
void reader_tell_changes(struct reader *reader, void (*changing)(void *context), void *context);

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
const struct meta_STACK *reader_stack(const struct reader *reader, uint32_t id);
const struct meta_RUN *reader_run(const struct reader *reader);    /* NULL before it was read */
const struct sources *reader_sources(const struct reader *reader); /* lines of source files */
const char *reader_path(const struct reader *reader);

/* For progress: bytes read so far, bytes of the file. */
uint64_t reader_position(const struct reader *reader);
uint64_t reader_size(const struct reader *reader);

const struct reader_health *reader_health(const struct reader *reader);

#endif
