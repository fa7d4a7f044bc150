/* SPDX-License-Identifier: MIT */
/*
 * A trace file read whole, for tests of the collector: frames, then what a live file beside
 * it still holds, in the way that live.h lays down. Deliberately simple and separate
 * from the analyzer's reader: everything is in memory, the first fault ends it. Every
 * function is static, so that a test program needs nothing but this header.
 */
#ifndef TEST_UNIT_TRACE_FILE_H
#define TEST_UNIT_TRACE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/frame.h"
#include "collector/format/live.h"

#define TRACE_FILE_THREADS (1u << 18)

struct trace_file {
	/* Called for every item; live is true for what comes out of the live file. */
	void (*item)(struct trace_file *file, const struct item *item, bool live);
	void *context;
	uint64_t *next; /* per thread: number of the next record */
	unsigned frames;
	uint64_t events, live_events;
	uint64_t lost;       /* by LOST maps */
	uint64_t duplicates; /* records that came a second time inside the frames */
	uint64_t gaps;       /* places where numbers are missing */
	bool has_end, truncated, has_live, pending_used;
	struct meta_END end;
	char end_reason[64], ring_memory[16], role[16];
	char fault[160]; /* "" when all was as it should be */
};

#define TRACE_FAULT(file, ...) (void)snprintf((file)->fault, sizeof((file)->fault), __VA_ARGS__)

static inline char *trace_file_load(const char *path, size_t *ret_size)
{
	FILE *stream = fopen(path, "rb");
	if (stream == NULL)
		return NULL;
	(void)fseek(stream, 0, SEEK_END);
	long size = ftell(stream);
	rewind(stream);
	char *bytes = malloc((size_t)size + 1);
	*ret_size = bytes != NULL ? fread(bytes, 1, (size_t)size, stream) : 0;
	if (bytes != NULL)
		bytes[*ret_size] = '\0';
	(void)fclose(stream);
	return bytes;
}

static inline void trace_file_item(struct trace_file *file, const struct item *item, bool live)
{
	if (item->type == ITEM_EVENTS && item->thread < TRACE_FILE_THREADS) {
		uint64_t *next = &file->next[item->thread];
		if (item->first_sequence < *next)
			file->duplicates += *next - item->first_sequence;
		if (item->first_sequence > *next)
			file->gaps++;
		*next = item->first_sequence + item->count;
		file->events += item->count;
		file->live_events += live ? item->count : 0;
	} else if (item->meta.kind == META_LOST) {
		file->lost += item->meta.u.lost.count;
	} else if (item->meta.kind == META_RUN) {
		(void)snprintf(file->ring_memory, sizeof(file->ring_memory), "%s",
			item->meta.u.run.ring_memory);
		(void)snprintf(file->role, sizeof(file->role), "%s", item->meta.u.run.role);
	} else if (item->meta.kind == META_END) {
		file->has_end = true;
		file->end = item->meta.u.end;
		(void)snprintf(
			file->end_reason, sizeof(file->end_reason), "%s", item->meta.u.end.reason);
		file->end.reason = file->end_reason;
	}
	if (file->item != NULL)
		file->item(file, item, live);
}

static inline void trace_file_decode(
	struct trace_file *file, struct decoder *decoder, const void *raw, size_t size, bool live)
{
	struct item item;
	struct err_at at;
	decoder_feed(decoder, raw, size);
	for (;;) {
		int code = decoder_next(decoder, &item, &at);
		if (code < 0)
			TRACE_FAULT(file, "frame %u: %s at %llu", file->frames, err_text(code),
				(unsigned long long)at.offset);
		if (code < 0 || item.type == ITEM_END)
			return;
		trace_file_item(file, &item, live);
	}
}

#include "test/unit/analyzer/trace_file_live.h"

static inline void trace_file_frames(
	struct trace_file *file, struct decoder *decoder, const char *bytes, size_t size)
{
	struct frame_decompressor *unpacker = frame_decompressor_new();
	size_t at = 0;
	while (at < size && file->fault[0] == '\0') {
		struct frame_info info;
		const void *raw;
		size_t raw_bytes;
		int code = frame_parse(bytes + at, size - at, &info);
		if (code == -ERR_TRUNCATED ||
			(code == 0 && info.compressed_bytes > size - at - FRAME_HEADER_BYTES)) {
			file->truncated = true;
			break;
		}
		if (code == 0)
			code = frame_unpack(unpacker, &info, bytes + at + FRAME_HEADER_BYTES,
				info.compressed_bytes, &raw, &raw_bytes);
		if (code < 0 || info.sequence != file->frames || file->has_end) {
			TRACE_FAULT(file, "frame %u at %zu: code %d, sequence %u, after end %d",
				file->frames, at, code, info.sequence, file->has_end);
			break;
		}
		trace_file_decode(file, decoder, raw, raw_bytes, false);
		file->frames++;
		at += FRAME_HEADER_BYTES + info.compressed_bytes;
	}
	frame_decompressor_free(unpacker);
}

/* Read path and its live file; item and context are set by the caller. 0 or -1, see fault. */
static inline int trace_file_read(struct trace_file *file, const char *path)
{
	size_t size = 0;
	struct decoder *decoder = decoder_new();
	file->next = calloc(TRACE_FILE_THREADS, sizeof(file->next[0]));
	char *bytes = trace_file_load(path, &size);
	if (bytes == NULL)
		TRACE_FAULT(file, "cannot read %.100s", path);
	else
		trace_file_frames(file, decoder, bytes, size);
	trace_file_beside(file, decoder, path);
	free(bytes);
	free(file->next);
	decoder_free(decoder);
	return file->fault[0] == '\0' ? 0 : -1;
}

#endif
