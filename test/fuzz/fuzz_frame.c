/* SPDX-License-Identifier: MIT */
/*
 * A file: headers are found, payloads decompressed and decoded, as a reader does. Checksums
 * of headers are set right first, so that the fuzzer gets behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/crc32c.h"
#include "collector/codec/frame.h"

#define INPUT_LIMIT 65536u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct frame_decompressor *decompressor;
static struct decoder *decoder;
static uint8_t file[INPUT_LIMIT];

static void mend_checksums(size_t size)
{
	for (size_t at = 0; at + FRAME_HEADER_BYTES <= size; at++) {
		if (file[at] != 0x54 || memcmp(file + at + 8, "LTRC", 4) != 0)
			continue;
		uint32_t crc = crc32c(0, file + at, FRAME_HEADER_BYTES - 4);
		memcpy(file + at + FRAME_HEADER_BYTES - 4, &crc, sizeof(crc));
	}
}

static void read_payload(const struct frame_info *info, size_t at)
{
	struct item item;
	const void *raw;
	size_t raw_bytes;
	if (frame_unpack(decompressor, info, file + at, info->compressed_bytes, &raw, &raw_bytes) !=
		0)
		return;
	if (raw_bytes != info->raw_bytes)
		abort();
	decoder_feed(decoder, raw, raw_bytes);
	while (decoder_next(decoder, &item, NULL) == 0 && item.type != ITEM_END)
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct frame_info info;
	if (decompressor == NULL) {
		decompressor = frame_decompressor_new();
		decoder = decoder_new();
	}
	size = size < INPUT_LIMIT ? size : INPUT_LIMIT;
	memcpy(file, bytes, size);
	mend_checksums(size);
	for (size_t at = frame_find(file, size, 0); at < size;) {
		size_t next = at + 1;
		if (frame_parse(file + at, size - at, &info) == 0 &&
			info.compressed_bytes <= size - at - FRAME_HEADER_BYTES) {
			read_payload(&info, at + FRAME_HEADER_BYTES);
			next = at + FRAME_HEADER_BYTES + info.compressed_bytes;
		}
		at = frame_find(file, size, next);
	}
	return 0;
}
