/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/crc32c.h"
#include "collector/codec/frame.h"
#include "test/unit/format/format_random.h"

#define RAW_BYTES 3000u

static uint8_t raw[RAW_BYTES];
static uint8_t file[8192];
static struct frame_compressor *compressor;
static struct frame_decompressor *decompressor;

static void make(void)
{
	uint64_t seed = 1;
	for (unsigned i = 0; i < RAW_BYTES; i++)
		raw[i] = (uint8_t)(random_next(&seed) % 5 * i % 17);
	compressor = frame_compressor_new(1);
	decompressor = frame_decompressor_new();
}

static void release(void)
{
	frame_compressor_free(compressor);
	frame_decompressor_free(decompressor);
}

TestSuite(frame, .init = make, .fini = release);

static size_t pack_one(uint32_t sequence, uint8_t *out, size_t capacity)
{
	struct frame_info info = {
		.version = FRAME_FORMAT_VERSION,
		.content = FRAME_HAS_EVENTS | FRAME_HAS_STATE,
		.sequence = sequence,
		.events = 17,
		.lost = 3,
		.first_ns = 0x1122334455667788,
		.last_ns = UINT64_MAX,
		.pid = 4711,
	};
	size_t size = 0;
	cr_assert(eq(int, frame_pack(compressor, &info, raw, RAW_BYTES, out, capacity, &size), 0));
	return size;
}

static int unpack_one(const uint8_t *bytes, size_t size, struct frame_info *info)
{
	const void *out;
	size_t out_bytes;
	int error = frame_parse(bytes, size, info);
	if (error != 0)
		return error;
	if (size - FRAME_HEADER_BYTES < info->compressed_bytes)
		return -ERR_TRUNCATED;
	error = frame_unpack(decompressor, info, bytes + FRAME_HEADER_BYTES, info->compressed_bytes,
		&out, &out_bytes);
	if (error == 0)
		cr_assert(out_bytes == RAW_BYTES && memcmp(out, raw, RAW_BYTES) == 0,
			"other bytes without an error");
	return error;
}

Test(frame, returns_header_and_payload)
{
	size_t size = pack_one(9, file, sizeof(file));
	struct frame_info info;
	cr_assert(eq(int, unpack_one(file, size, &info), 0));
	cr_assert(eq(u32, info.version, 1));
	cr_assert(eq(u32, info.content, FRAME_HAS_EVENTS | FRAME_HAS_STATE));
	cr_assert(eq(u32, info.sequence, 9));
	cr_assert(eq(u32, info.raw_bytes, RAW_BYTES));
	cr_assert(eq(u64, info.compressed_bytes, size - FRAME_HEADER_BYTES));
	cr_assert(eq(u32, info.events, 17));
	cr_assert(eq(u32, info.lost, 3));
	cr_assert(eq(u64, info.first_ns, 0x1122334455667788));
	cr_assert(eq(u64, info.last_ns, UINT64_MAX));
	cr_assert(eq(u32, info.pid, 4711));
}

/* The table of FORMAT.md, by hand. */
Test(frame, has_the_documented_offsets)
{
	(void)pack_one(9, file, sizeof(file));
	static const uint8_t start[] = {0x54, 0x2a, 0x4d, 0x18, 56, 0, 0, 0, 'L', 'T', 'R', 'C', 1,
		0, 5, 0, 9, 0, 0, 0, 0xb8, 0x0b, 0, 0};
	static const uint8_t rest[] = {17, 0, 0, 0, 3, 0, 0, 0, 0x67, 0x12, 0, 0, 0x88, 0x77, 0x66,
		0x55, 0x44, 0x33, 0x22, 0x11, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0,
		0, 0};
	cr_assert(memcmp(file, start, sizeof(start)) == 0);
	cr_assert(memcmp(file + 28, rest, sizeof(rest)) == 0);
}

Test(frame, every_bit_flip_is_noticed_or_harmless)
{
	size_t size = pack_one(0, file, sizeof(file));
	unsigned harmless = 0;
	for (size_t bit = 0; bit < 8 * size; bit++) {
		struct frame_info info;
		file[bit / 8] ^= (uint8_t)(1u << bit % 8);
		int error = unpack_one(file, size, &info);
		if (bit < 8 * FRAME_HEADER_BYTES)
			cr_assert(ne(int, error, 0), "bit %zu of the header", bit);
		harmless += error == 0;
		file[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	cr_assert(lt(u64, harmless, 8 * size / 100), "%u flips changed nothing", harmless);
}

Test(frame, every_truncation_is_noticed)
{
	size_t size = pack_one(0, file, sizeof(file));
	for (size_t cut = 0; cut < size; cut++) {
		struct frame_info info;
		uint8_t *copy = malloc(cut + 1);
		memcpy(copy, file, cut);
		int error = unpack_one(copy, cut, &info);
		cr_assert(eq(int, error, -ERR_TRUNCATED), "cut at %zu", cut);
		free(copy);
	}
}

Test(frame, says_what_is_wrong_with_a_header)
{
	struct frame_info info = {0};
	cr_assert(eq(int, frame_parse("hello, world", 12, &info), -ERR_NOT_A_TRACE));
	cr_assert(eq(int, frame_parse("", 0, &info), -ERR_TRUNCATED));
	size_t size = pack_one(3, file, sizeof(file));
	file[60] ^= 1;
	cr_assert(eq(int, frame_parse(file, size, &info), -ERR_DAMAGED));
	/* Headers of other writers, with a checksum that fits. */
	file[12] = 2;
	uint32_t crc = crc32c(0, file, 60);
	memcpy(file + 60, &crc, 4);
	cr_assert(eq(int, frame_parse(file, size, &info), -ERR_NEWER_VERSION));
	cr_assert(eq(u32, info.sequence, 3));
	file[12] = 1;
	file[23] = 0x7f;
	crc = crc32c(0, file, 60);
	memcpy(file + 60, &crc, 4);
	cr_assert(eq(int, frame_parse(file, size, &info), -ERR_TOO_LARGE));
}

Test(frame, finds_the_next_header_in_rubbish)
{
	uint64_t seed = 5;
	uint8_t bytes[8192];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = random_next(&seed) % 3 == 0 ? 0x54 : (uint8_t)random_next(&seed);
	cr_assert(eq(u64, frame_find(bytes, sizeof(bytes), 0), sizeof(bytes)));
	size_t size = pack_one(1, bytes + 1234, sizeof(bytes) - 1234);
	cr_assert(eq(u64, frame_find(bytes, sizeof(bytes), 0), 1234));
	cr_assert(eq(u64, frame_find(bytes, sizeof(bytes), 1234), 1234));
	cr_assert(eq(u64, frame_find(bytes, sizeof(bytes), 1235), sizeof(bytes)));
	cr_assert(eq(u64, frame_find(bytes, 1234 + FRAME_HEADER_BYTES - 1, 0),
		1234 + FRAME_HEADER_BYTES - 1));
	cr_assert(eq(u64, frame_find(bytes, 0, 0), 0));
	(void)pack_one(2, bytes + 1234 + size, sizeof(bytes) - 1234 - size);
	cr_assert(eq(u64, frame_find(bytes, sizeof(bytes), 1235), 1234 + size));
}

Test(frame, refuses_bombs)
{
	size_t zeros_bytes = 64u << 20, packed_bytes = 0;
	struct frame_info info = {.version = FRAME_FORMAT_VERSION};
	uint8_t *zeros = calloc(1, zeros_bytes);
	uint8_t *packed = malloc(frame_bound(FRAME_RAW_LIMIT));
	cr_assert(eq(int,
		frame_pack(compressor, &info, zeros, zeros_bytes, packed,
			frame_bound(FRAME_RAW_LIMIT), &packed_bytes),
		-EINVAL));
	cr_assert(eq(int,
		frame_pack(compressor, &info, zeros, FRAME_RAW_LIMIT, packed,
			frame_bound(FRAME_RAW_LIMIT), &packed_bytes),
		0));
	/* A header that claims less than the payload holds. */
	const void *out;
	size_t out_bytes;
	info.raw_bytes = 1000;
	cr_assert(eq(int,
		frame_unpack(decompressor, &info, packed + FRAME_HEADER_BYTES,
			info.compressed_bytes, &out, &out_bytes),
		-ERR_DAMAGED));
	info.raw_bytes = UINT32_MAX;
	cr_assert(eq(int,
		frame_unpack(decompressor, &info, packed + FRAME_HEADER_BYTES,
			info.compressed_bytes, &out, &out_bytes),
		-ERR_TOO_LARGE));
	free(packed);
	free(zeros);
}

Test(frame, works_at_every_level_and_size)
{
	static const int levels[] = {-100, -5, 0, 1, 3, 19, 100};
	for (unsigned i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct frame_compressor *other = frame_compressor_new(levels[i]);
		for (size_t size = 0; size <= RAW_BYTES; size += 750) {
			struct frame_info info = {.version = FRAME_FORMAT_VERSION};
			const void *out;
			size_t bytes, out_bytes;
			cr_assert(eq(int,
				frame_pack(other, &info, raw, size, file, sizeof(file), &bytes),
				0));
			cr_assert(eq(int, frame_parse(file, bytes, &info), 0));
			cr_assert(eq(int,
				frame_unpack(decompressor, &info, file + FRAME_HEADER_BYTES,
					info.compressed_bytes, &out, &out_bytes),
				0));
			cr_assert(out_bytes == size && memcmp(out, raw, size) == 0);
		}
		frame_compressor_free(other);
	}
	size_t bytes;
	struct frame_info info = {.version = FRAME_FORMAT_VERSION};
	cr_assert(
		eq(int, frame_pack(compressor, &info, raw, RAW_BYTES, file, 100, &bytes), -ENOSPC));
	cr_assert(
		eq(int, frame_pack(compressor, &info, raw, RAW_BYTES, file, 10, &bytes), -ENOSPC));
	frame_compressor_free(NULL);
	frame_decompressor_free(NULL);
}
