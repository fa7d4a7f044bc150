/* SPDX-License-Identifier: MIT */
/*
 * The pending frame: records and maps go into it, and it goes to the trace file when it
 * is full or told to. It lies in the live file and is published after every pass, so
 * that a killed process loses nothing. When the file cannot be written the frame is
 * kept and filled up; after that the writer refuses events (-EAGAIN), the caller counts
 * them as lost, and writing is tried again with growing pauses.
 *
 * Losses are gaps of a ring until the file has said them. Drain thread only.
 */
#ifndef COLLECTOR_WRITE_WRITER_H
#define COLLECTOR_WRITE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/buffer/live.h"
#include "collector/codec/frame.h"
#include "collector/format/recent.h"
#include "collector/write/announce.h"
#include "collector/write/sink.h"

struct writer_options {
	int compression;
	uint64_t max_bytes; /* 0: unlimited */
	collector_call_of *call_of;
	unsigned call_count;
};

struct writer {
	struct live *live;
	struct sink *sink;
	struct encoder *encoder;
	struct frame_compressor *compressor;
	void *packed;
	struct announce announce;
	struct recent *recent; /* calls that are in the file or the pending frame */
	bool notes_calls;      /* somebody wants to find them */
	uint64_t max_bytes;
	uint32_t sequence;       /* of the pending frame */
	uint32_t lost_in_frame;  /* as its LOST maps say */
	uint32_t check;          /* CRC-32C of what is published of the pending frame */
	uint64_t frame_begin_ns; /* when something was put into it; 0: empty */
	int failure;             /* of the last attempt to write, 0: none */
	bool without_memory;     /* that of the pending frame was taken away, and it was dropped */
	bool over_limit;         /* max_bytes is reached: nothing more is taken */
	uint64_t retry_ns, pause_ns;
	uint64_t closing_offset; /* of the last frame, once it is there */
	uint64_t events, lost;   /* in the file; told in the file or the pending frame */
	/* Losses that belong to no ring (any more). */
	struct ring_gap unowned[LOSS_CAUSE_COUNT];
	struct ring_gap unowned_pending;
};

/* 0 or -ENOMEM. live and sink are kept. */
int writer_init(struct writer *writer, struct live *live, struct sink *sink,
	const struct writer_options *options);

/*
 * In the child of a fork: begin anew. The parent's encoder and compressor are left alone, because
 * its drain thread may have been in the middle of them.
 */
void writer_forget(struct writer *writer);

/* Append a map. 0; -EAGAIN: no room and no writing; -ERR_TOO_LARGE: over max_bytes. */
int writer_meta(struct writer *writer, const struct meta *meta, uint64_t now_ns);

/*
 * Append count (1 to CODEC_BLOCK_LIMIT) records of the ring with number index, times in ns, with
 * the definitions that they need. Returns how many were taken, or a negative code as above when
 * none was; -ENOSPC: the first one does not fit even into an empty frame. All are matched with
 * calls of the same thread (codec.h), or none is.
 */
int writer_events(struct writer *writer, unsigned index, uint64_t first,
	const struct record *records, unsigned count, uint64_t now_ns);

/* Let readers of the live file see what the pending frame holds so far. */
void writer_publish(struct writer *writer);

/* Write the pending frame now, unless it is empty or a pause is on (then -EAGAIN). */
int writer_flush(struct writer *writer, uint64_t now_ns);

/* Tell every gap that is known, as far as there is room. */
void writer_tell_losses(struct writer *writer, uint64_t now_ns);

/* The ring gets another owner: what is not told yet is told without a thread. */
void writer_disown(struct writer *writer, struct ring *ring);

/*
 * The last frame: states, what is lost, and the end map. What could not be written before is
 * counted as lost. 0, or a negative code: there is no end in the file.
 */
int writer_finish(struct writer *writer, const char *reason, uint64_t now_ns,
	void (*say_states)(struct writer *writer, uint64_t now_ns));

/* Count records, times in ns, as not stored because writer_events() answered code. */
void writer_count_refused(
	struct ring_gap *gaps, const struct record *records, unsigned count, int code);

/* Count records, times in ns, as not stored. */
void ring_gap_add(struct ring_gap *gap, uint64_t count, uint64_t first_ns, uint64_t last_ns);

#endif
