/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "test/unit/format/format_random.h"

#define CAPACITY CODEC_FRAME_LIMIT

static uint8_t buffer[CAPACITY];
static struct record records[CODEC_BLOCK_LIMIT];

static void expect_block(struct decoder *decoder, uint32_t thread, uint64_t first,
	const struct record *expected, unsigned count)
{
	struct item item;
	struct err_at at = {0};
	cr_assert(eq(int, decoder_next(decoder, &item, &at), 0), "offset %lu: %s",
		(unsigned long)at.offset, at.what);
	cr_assert(eq(int, item.type, ITEM_EVENTS));
	cr_assert(eq(u32, item.thread, thread));
	cr_assert(eq(u64, item.first_sequence, first));
	cr_assert(eq(u64, item.next_sequence, first + count));
	cr_assert(eq(u32, item.count, count));
	for (unsigned i = 0; i < count; i++)
		cr_assert(memcmp(&item.records[i], &expected[i], sizeof(*expected)) == 0,
			"record %u of kind %u differs", i, expected[i].kind);
}

static void expect_end(struct decoder *decoder)
{
	struct item item;
	cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
	cr_assert(eq(int, item.type, ITEM_END));
}

Test(codec, returns_random_records_of_every_kind)
{
	uint64_t seed = 1;
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	struct decoder *decoder = decoder_new();
	for (unsigned round = 0; round < 60; round++) {
		unsigned count = 1 + (unsigned)(random_next(&seed) % (round < 50 ? 300 : 4096));
		random_records(&seed, records, count, 1 + count / (1 + round % 5));
		encoder_reset(encoder);
		cr_assert(eq(int, encoder_add_events(encoder, 7, 1000, records, count), 0));
		cr_assert(eq(u64, encoder_events(encoder), count));
		cr_assert(eq(u32, encoder_content(encoder), FRAME_HAS_EVENTS));
		decoder_feed(decoder, buffer, encoder_size(encoder));
		expect_block(decoder, 7, 1000, records, count);
		expect_end(decoder);
	}
	cr_assert(eq(u64, decoder_skipped(decoder), 0));
	decoder_free(decoder);
	encoder_free(encoder);
}

Test(codec, keeps_extreme_numbers)
{
	static const uint64_t numbers[] = {0, 1, 31, 32, 33, 127, 128, 255, 256, 32767, 32768,
		65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX,
		(uint64_t)INT64_MIN, UINT64_MAX - 1, UINT64_MAX};
	unsigned numbers_count = sizeof(numbers) / sizeof(numbers[0]), count = 0;
	for (unsigned i = 0; i < numbers_count; i++)
		for (unsigned j = 0; j < numbers_count; j++) {
			struct record *record = &records[count++];
			memset(record, 0, sizeof(*record));
			record->kind = RECORD_ALLOC;
			record->begin = numbers[i];
			record->end = numbers[j];
			record->a = numbers[j];
			record->b = numbers[i] - numbers[j];
			record->result = (int32_t)numbers[i];
			record->d = (uint32_t)numbers[j];
		}
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	struct decoder *decoder = decoder_new();
	cr_assert(eq(int,
		encoder_add_events(encoder, UINT32_MAX, UINT64_MAX - 9999, records, count), 0));
	cr_assert(eq(u64, encoder_first_ns(encoder), 0));
	cr_assert(eq(u64, encoder_last_ns(encoder), UINT64_MAX));
	decoder_feed(decoder, buffer, encoder_size(encoder));
	expect_block(decoder, UINT32_MAX, UINT64_MAX - 9999, records, count);
	expect_end(decoder);
	decoder_free(decoder);
	encoder_free(encoder);
}

Test(codec, needs_nothing_of_the_frame_before)
{
	uint64_t seed = 2;
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	random_records(&seed, records, 1000, 100);
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, records, 500), 0));
	encoder_reset(encoder);
	cr_assert(eq(u64, encoder_size(encoder), 0));
	cr_assert(eq(u32, encoder_content(encoder), 0));
	cr_assert(eq(u64, encoder_first_ns(encoder), UINT64_MAX));
	cr_assert(eq(int, encoder_add_events(encoder, 1, 500, records + 500, 500), 0));
	struct decoder *decoder = decoder_new();
	decoder_feed(decoder, buffer, encoder_size(encoder));
	expect_block(decoder, 1, 500, records + 500, 500);
	/* Also byte by byte: a reset leaves no trace of what was there. */
	uint8_t *copy = malloc(CAPACITY);
	struct encoder *other = encoder_new(copy, CAPACITY);
	cr_assert(eq(int, encoder_add_events(other, 1, 500, records + 500, 500), 0));
	cr_assert(eq(u64, encoder_size(other), encoder_size(encoder)));
	cr_assert(memcmp(copy, buffer, encoder_size(other)) == 0);
	encoder_free(other);
	encoder_free(encoder);
	decoder_free(decoder);
	free(copy);
}

Test(codec, continues_sites_and_columns_across_blocks_and_threads)
{
	uint64_t seed = 3;
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	struct decoder *decoder = decoder_new();
	random_records(&seed, records, 3000, 40);
	for (unsigned i = 0; i < 30; i++)
		cr_assert(
			eq(int, encoder_add_events(encoder, i % 3, i, records + 100 * i, 100), 0));
	decoder_feed(decoder, buffer, encoder_size(encoder));
	for (unsigned i = 0; i < 30; i++)
		expect_block(decoder, i % 3, i, records + 100 * i, 100);
	expect_end(decoder);
	decoder_free(decoder);
	encoder_free(encoder);
}

/* Fill a small frame; whatever was refused must leave no trace. */
Test(codec, refuses_a_block_without_changing_anything)
{
	uint64_t seed = 4;
	static uint8_t small[65536], other[65536];
	unsigned full = 0; /* frames */
	for (unsigned round = 0; round < 40; round++) {
		unsigned step = 1 + (unsigned)(random_next(&seed) % 400);
		random_records(&seed, records, CODEC_BLOCK_LIMIT, 1 + round * 40);
		struct encoder *tried = encoder_new(small, sizeof(small));
		struct encoder *plain = encoder_new(other, sizeof(other));
		unsigned refused = 0;
		for (unsigned at = 0; at < CODEC_BLOCK_LIMIT; at += 7) {
			unsigned count =
				CODEC_BLOCK_LIMIT - at < step ? CODEC_BLOCK_LIMIT - at : step;
			int error = encoder_add_events(tried, 1, at, records + at, count);
			if (error == 0) {
				cr_assert(eq(int,
					encoder_add_events(plain, 1, at, records + at, count), 0));
				continue;
			}
			cr_assert(eq(int, error, -ENOSPC));
			refused++;
			cr_assert(eq(u64, encoder_events(tried), encoder_events(plain)));
			cr_assert(eq(u64, encoder_first_ns(tried), encoder_first_ns(plain)));
			cr_assert(eq(u64, encoder_last_ns(tried), encoder_last_ns(plain)));
			step = 1 + step / 2;
		}
		full += refused > 0;
		cr_assert(eq(u64, encoder_size(tried), encoder_size(plain)));
		cr_assert(memcmp(small, other, encoder_size(plain)) == 0, "round %u", round);
		encoder_free(tried);
		encoder_free(plain);
	}
	cr_assert(gt(u32, full, 30));
}

Test(codec, takes_any_block_into_an_empty_frame)
{
	uint64_t seed = 5;
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	for (unsigned i = 0; i < CODEC_BLOCK_LIMIT; i++) {
		records[i] = random_record_of(&seed, RECORD_DEVICE_KERNEL);
		records[i].stream = random_next(&seed) | 1ull << 63;
		records[i].begin = random_next(&seed);
		records[i].end = random_next(&seed);
	}
	cr_assert(eq(int,
		encoder_add_events(encoder, UINT32_MAX, UINT64_MAX, records, CODEC_BLOCK_LIMIT),
		0));
	struct decoder *decoder = decoder_new();
	decoder_feed(decoder, buffer, encoder_size(encoder));
	expect_block(decoder, UINT32_MAX, UINT64_MAX, records, CODEC_BLOCK_LIMIT);
	decoder_free(decoder);
	encoder_free(encoder);
}

/* More sites than a frame may define: the block that would pass the limit is refused, then fits. */
Test(codec, ends_the_frame_when_the_dictionary_is_full)
{
	size_t capacity = 8u << 20;
	uint8_t *large = malloc(capacity);
	struct encoder *encoder = encoder_new(large, capacity);
	struct decoder *decoder = decoder_new();
	uint64_t stream = 0;
	for (unsigned block = 0; block < 5; block++) {
		memset(records, 0, sizeof(records));
		for (unsigned i = 0; i < CODEC_BLOCK_LIMIT; i++) {
			records[i].kind = RECORD_SYNC;
			records[i].stream = ++stream;
		}
		int error = encoder_add_events(encoder, 1, stream, records, CODEC_BLOCK_LIMIT);
		cr_assert(eq(int, error, block < 4 ? 0 : -ENOSPC));
	}
	cr_assert(eq(u64, encoder_events(encoder), 4 * CODEC_BLOCK_LIMIT));
	encoder_reset(encoder);
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, records, CODEC_BLOCK_LIMIT), 0));
	decoder_feed(decoder, large, encoder_size(encoder));
	expect_block(decoder, 1, 0, records, CODEC_BLOCK_LIMIT);
	decoder_free(decoder);
	encoder_free(encoder);
	free(large);
}

Test(codec, sends_unknown_kinds_as_none)
{
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	struct decoder *decoder = decoder_new();
	uint64_t seed = 6;
	for (unsigned i = 0; i < 6; i++)
		records[i] = random_record_of(&seed, RECORD_LAUNCH);
	records[1].kind = RECORD_KIND_LIMIT;
	records[2].kind = 999;
	records[4].kind = 0;
	cr_assert(eq(int, encoder_add_events(encoder, 1, 50, records, 6), 0));
	decoder_feed(decoder, buffer, encoder_size(encoder));
	struct item item;
	cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
	cr_assert(eq(u32, item.count, 3));
	cr_assert(eq(u64, item.first_sequence, 50));
	cr_assert(eq(u64, item.next_sequence, 56));
	cr_assert(eq(u64, decoder_skipped(decoder), 3));
	cr_assert(memcmp(&item.records[0], &records[0], sizeof(records[0])) == 0);
	cr_assert(memcmp(&item.records[1], &records[3], sizeof(records[0])) == 0);
	cr_assert(memcmp(&item.records[2], &records[5], sizeof(records[0])) == 0);
	decoder_free(decoder);
	encoder_free(encoder);
}

Test(codec, accepts_nothing)
{
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	struct decoder *decoder = decoder_new();
	expect_end(decoder);
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, records, 0), 0));
	cr_assert(eq(u64, encoder_size(encoder), 0));
	cr_assert(eq(
		int, encoder_add_events(encoder, 1, 0, records, CODEC_BLOCK_LIMIT + 1), -EINVAL));
	decoder_feed(decoder, buffer, 0);
	expect_end(decoder);
	encoder_free(encoder);
	decoder_free(decoder);
	encoder_free(NULL);
	decoder_free(NULL);
}

/* The worked example of FORMAT.md: input, column bytes and frame header as printed there. */
Test(codec, worked_example_of_the_format)
{
	static const uint8_t columns[] = {0xa4, 0x73, 0x69, 0x74, 0x65, 0x94, 0x00, 0x00, 0x01,
		0x00, 0xa3, 0x65, 0x6e, 0x64, 0x94, 0xcd, 0x04, 0xe2, 0xcd, 0x03, 0xfc, 0xcd, 0x02,
		0x12, 0x5a, 0xa3, 0x64, 0x75, 0x72, 0x94, 0xcc, 0xfa, 0x14, 0xcd, 0x01, 0xf4, 0x14,
		0xa5, 0x65, 0x78, 0x74, 0x72, 0x61, 0x92, 0x29, 0x02};
	struct meta name = {.kind = META_NAME, .u.name = {.id = 5, .text = "gemm"}};
	struct record sync = {.kind = RECORD_SYNC, .call = 3, .place = 9, .b = SYNC_STREAM};
	struct record copy = {.kind = RECORD_DEVICE_COPY, .stream = 7, .a = 4096, .b = 1};
	struct record events[] = {sync, sync, copy, copy};
	static const uint64_t times[][2] = {{1000, 1250}, {2000, 2270}, {2300, 2800}, {2900, 3420}};
	for (unsigned i = 0; i < 4; i++) {
		events[i].begin = times[i][0];
		events[i].end = times[i][1];
	}
	events[2].place = 41;
	events[3].place = 43;
	struct encoder *encoder = encoder_new(buffer, CAPACITY);
	cr_assert(eq(int, encoder_add_meta(encoder, &name), 0));
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, events, 4), 0));
	cr_assert(eq(sz, encoder_size(encoder), 436));
	cr_assert(eq(u32, encoder_content(encoder), 3));
	cr_assert(eq(u64, encoder_first_ns(encoder), 1000));
	cr_assert(eq(u64, encoder_last_ns(encoder), 3420));
	cr_assert(memcmp(buffer + 436 - sizeof(columns), columns, sizeof(columns)) == 0);
	encoder_free(encoder);
}
