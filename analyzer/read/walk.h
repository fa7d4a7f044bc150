/* SPDX-License-Identifier: MIT */
/*
 * From one frame of a file to the next: headers are checked, payloads read, checked
 * and decompressed. Where a header or a payload is damaged, the walk searches for the
 * next header that is valid and counts what it left out. It reads with pread, so the
 * file may shrink meanwhile; what is appended is not seen before walk_extend(), so that a
 * writer which is faster than the reader does not keep it for ever. A frame that the
 * file ends in the middle of stays ahead of the walk.
 *
 * Not thread-safe.
 */
#ifndef ANALYZER_WALK_H
#define ANALYZER_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/err.h"
#include "collector/base/vec.h"
#include "collector/codec/frame.h"

/* What came out of one step. */
enum walk_result {
	WALK_END,     /* nothing more that is whole */
	WALK_FRAME,   /* raw bytes of a frame */
	WALK_SKIPPED, /* the header is fine, unwanted() said no */
	WALK_BAD,     /* the header is fine, the payload is not */
	WALK_NEWER,   /* header of a newer version; passed over */
	WALK_DAMAGE,  /* bytes that are no frame */
};

struct walk {
	int fd;                   /* -1: nothing to walk through */
	uint64_t offset;          /* of the next header */
	uint64_t limit;           /* frames that begin here or later are not read */
	VEC(unsigned char) bytes; /* of the file; count is not used */
	struct frame_decompressor *decompressor;
	/* the step that walk_next() took */
	uint64_t begin;      /* offset in the file */
	uint64_t bytes_lost; /* WALK_BAD, WALK_DAMAGE: bytes passed over */
	struct frame_info info;
	const void *raw;
	size_t raw_bytes;
	bool kept; /* the next step is this one again */
	/* WALK_END: what stands behind the last whole frame */
	uint64_t tail_bytes;
	bool tail_has_info; /* with a header that could be read: info */
};

/* 0 or -errno; what path points to must be a file. */
int walk_open(struct walk *walk, const char *path);

/* A walk through nothing. 0 or -ENOMEM. */
int walk_open_empty(struct walk *walk);
void walk_close(struct walk *walk);

/*
 * Whether there is a trace to walk through, from the first header on or from a whole frame behind
 * damage; the walk is at its begin again. 0, -errno, -ERR_NOT_A_TRACE, -ERR_NEWER_VERSION,
 * -ERR_TRUNCATED (empty, or no whole frame).
 */
int walk_check_start(struct walk *walk, struct err_at *reterr);

/* unwanted: may be NULL; frames for which it is true are not read. A walk_result or -errno. */
int walk_next(struct walk *walk, bool (*unwanted)(const struct frame_info *info, const void *data),
	const void *data);

/* Whether a valid header comes anywhere after from; *ret_offset is where. 1, 0 or -errno. */
int walk_search(struct walk *walk, uint64_t from, uint64_t *ret_offset);

/* Take in what the file has now. */
void walk_extend(struct walk *walk);

/* Size of the file now, 0 when there is none. */
uint64_t walk_size(const struct walk *walk);

#endif
