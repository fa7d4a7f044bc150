/* SPDX-License-Identifier: MIT */
/*
 * A frame of a trace file: a header inside a zstd skippable frame, then one
 * independent zstd frame with content size and checksum. So `zstd -dc FILE` gives
 * the plain msgpack stream, and a reader that knows the header can seek, skip,
 * resynchronise after damage and tell what is missing.
 *
 * Header, little endian, FRAME_HEADER_BYTES in all: skippable magic 0x184D2A54,
 * size of the rest, our magic, format version, content flags, sequence number from
 * 0, raw bytes, compressed bytes, events, lost events, first and last time,
 * pid, CRC-32C of everything before it. FORMAT.md gives the offsets.
 */
#ifndef COLLECTOR_CODEC_FRAME_H
#define COLLECTOR_CODEC_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/err.h"

/* What a frame contains; for the frame's header. */
enum frame_content {
	FRAME_HAS_EVENTS = 1 << 0,
	FRAME_HAS_DEFINITIONS = 1 << 1,
	FRAME_HAS_STATE = 1 << 2,
	FRAME_IS_LAST = 1 << 3, /* holds the end map */
};

#define FRAME_FORMAT_VERSION 1u
#define FRAME_HEADER_BYTES   64u
/* A reader refuses frames that claim more. */
#define FRAME_RAW_LIMIT (4u << 20)

struct frame_info {
	uint16_t version;
	uint16_t content; /* enum frame_content */
	uint32_t sequence;
	uint32_t raw_bytes;
	uint32_t compressed_bytes;
	uint32_t events;
	uint32_t lost; /* events lost since the frame before */
	uint64_t first_ns;
	uint64_t last_ns;
	uint32_t pid;
};

struct frame_compressor;
struct frame_decompressor;

/* level: zstd's, -5 to 19. NULL when out of memory. */
struct frame_compressor *frame_compressor_new(int level);
void frame_compressor_free(struct frame_compressor *compressor);

/* Enough room for header and worst-case payload of raw_bytes. */
size_t frame_bound(size_t raw_bytes);

/*
 * Header and payload of one frame into out. raw_bytes and compressed_bytes of info are set here.
 * Returns 0 and *ret_bytes, or -ENOSPC, -EINVAL.
 */
int frame_pack(struct frame_compressor *compressor, struct frame_info *info, const void *raw,
	size_t raw_bytes, void *out, size_t capacity, size_t *ret_bytes);

/*
 * Read a header at bytes. 0; -ERR_TRUNCATED (fewer than FRAME_HEADER_BYTES, what is there fits);
 * -ERR_NOT_A_TRACE (other magic); -ERR_DAMAGED (CRC); -ERR_NEWER_VERSION (info is filled);
 * -ERR_TOO_LARGE.
 */
int frame_parse(const void *bytes, size_t size, struct frame_info *ret_info);

/* Offset of the first byte at or after from where a valid header begins, or size. */
size_t frame_find(const void *bytes, size_t size, size_t from);

struct frame_decompressor *frame_decompressor_new(void);
void frame_decompressor_free(struct frame_decompressor *decompressor);

/*
 * Payload of a frame to raw bytes owned by the decompressor until the next call. 0, -ERR_DAMAGED,
 * -ERR_TOO_LARGE, -ENOMEM.
 */
int frame_unpack(struct frame_decompressor *decompressor, const struct frame_info *info,
	const void *payload, size_t payload_bytes, const void **ret_raw, size_t *ret_raw_bytes);

#endif
