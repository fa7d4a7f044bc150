/* SPDX-License-Identifier: MIT */
/* Records of calls that only say which call they are about; the calls that these can be. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/pack.h"
#include "collector/format/fields.h"
#include "collector/format/recent.h"
#include "test/unit/format/format_random.h"

#define TID 4711u

static uint8_t buffer[CODEC_FRAME_LIMIT];
static struct record records[CODEC_BLOCK_LIMIT];

/* Calls of all sorts: the same function for a while, numbers and ids that go back and far. */
static void make_matched(uint64_t *seed, unsigned count)
{
	uint64_t number = random_next(seed) % 2 != 0 ? 1ull << 40 : 0, what = 211;
	uint32_t id = (uint32_t)random_next(seed);
	for (unsigned i = 0; i < count; i++) {
		number += random_next(seed) % 50 == 0 ? random_next(seed) % 5000 : 1;
		id += random_next(seed) % 20 == 0 ? (uint32_t)random_next(seed) : 1;
		what = random_next(seed) % 10 == 0 ? random_next(seed) % 800 : what;
		records[i] = (struct record){.kind = RECORD_DEVICE_API,
			.begin = 5000 + i,
			.end = 5100 + i,
			.a = TID,
			.c = (uint32_t)what,
			.d = 1 + (uint32_t)(what % 2),
			.place = id};
		codec_match(&records[i], 7, number);
	}
}

Test(matched, come_back_without_their_times)
{
	uint64_t seed = 3;
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	struct decoder *decoder = decoder_new();
	for (unsigned round = 0; round < 200; round++) {
		unsigned count = 1 + (unsigned)(random_next(&seed) % (round < 190 ? 100 : 4096));
		struct item item;
		make_matched(&seed, count);
		encoder_reset(encoder);
		cr_assert(eq(int, encoder_add_matched(encoder, 9, 1000, records, count), 0));
		cr_assert(eq(u64, encoder_events(encoder), count));
		cr_assert(eq(u64, encoder_first_ns(encoder), 5000));
		cr_assert(eq(u64, encoder_last_ns(encoder), 5100 + count - 1));
		cr_assert(eq(u32, encoder_content(encoder), FRAME_HAS_EVENTS));
		decoder_feed(decoder, buffer, encoder_size(encoder));
		cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
		cr_assert(item.matched);
		cr_assert(eq(u32, item.thread, 9));
		cr_assert(eq(u64, item.first_sequence, 1000));
		cr_assert(eq(u64, item.next_sequence, 1000 + count));
		cr_assert(eq(u32, item.count, count));
		for (unsigned i = 0; i < count; i++) {
			records[i].begin = records[i].end = 0;
			cr_assert(eq(
				int, memcmp(&item.records[i], &records[i], sizeof(records[i])), 0));
		}
		cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
		cr_assert(eq(int, item.type, ITEM_END));
	}
	cr_assert(eq(u64, decoder_skipped(decoder), 0));
	decoder_free(decoder);
	encoder_free(encoder);
}

Test(matched, change_nothing_where_they_do_not_fit)
{
	uint64_t seed = 5;
	struct encoder *encoder = encoder_new(buffer, 1u << 16);
	make_matched(&seed, 4096);
	cr_assert(eq(int, encoder_add_matched(encoder, 9, 0, records, 4096), -ENOSPC));
	cr_assert(eq(sz, encoder_size(encoder), 0));
	cr_assert(eq(u64, encoder_events(encoder), 0));
	cr_assert(eq(u64, encoder_first_ns(encoder), UINT64_MAX));
	cr_assert(eq(int, encoder_add_matched(encoder, 9, 0, records, 100), 0));
	encoder_free(encoder);
}

/* Every length and every byte of a block: an error or something else, never more than is there. */
Test(matched, damage_is_named, .timeout = 60)
{
	uint64_t seed = 7;
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	struct decoder *decoder = decoder_new();
	struct item item;
	make_matched(&seed, 40);
	cr_assert(eq(int, encoder_add_matched(encoder, 9, 0, records, 40), 0));
	size_t size = encoder_size(encoder);
	for (size_t length = 1; length < size; length++) {
		uint8_t *part = malloc(length);
		memcpy(part, buffer, length);
		decoder_feed(decoder, part, length);
		cr_assert(eq(int, decoder_next(decoder, &item, NULL), -ERR_DAMAGED));
		free(part);
	}
	for (size_t at = 0; at < size; at++)
		for (unsigned value = 0; value < 256; value += 3) {
			uint8_t *copy = malloc(size);
			memcpy(copy, buffer, size);
			copy[at] = (uint8_t)value;
			decoder_feed(decoder, copy, size);
			while (decoder_next(decoder, &item, NULL) == 0 && item.type != ITEM_END)
				cr_assert(le(u32, item.count, CODEC_BLOCK_LIMIT));
			free(copy);
		}
	decoder_free(decoder);
	encoder_free(encoder);
}

static void note(struct recent *recent, uint32_t thread, uint32_t tid, uint64_t first,
	unsigned count, uint64_t begin_ns)
{
	for (unsigned i = 0; i < count; i++)
		records[i] = (struct record){.kind = i % 3 == 2 ? RECORD_OP : RECORD_LAUNCH,
			.begin = begin_ns + 100 * i,
			.end = begin_ns + 100 * i + 50};
	recent_note(recent, thread, tid, first, records, count);
}

/* Number of the call that covers a time, UINT64_MAX: none. */
static uint64_t number_at(struct recent *recent, uint32_t tid, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t thread = 0;
	const struct recent_call *call = recent_at(recent, tid, begin_ns, end_ns, &thread);
	return call != NULL ? call->number : UINT64_MAX;
}

Test(matched, calls_are_found_by_time_and_number)
{
	struct recent *recent = recent_new();
	uint64_t begin_ns, end_ns;
	note(recent, 3, TID, 500, 300, 10000);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t at = 10000 + 100 * i, expected = i % 3 == 2 ? UINT64_MAX : 500 + i;
		cr_expect(eq(u64, number_at(recent, TID, at + 10, at + 20), expected));
		cr_expect(eq(u64, number_at(recent, TID, at, at + 50), expected));
		cr_expect(eq(u64, number_at(recent, TID, at + 10, at + 51), UINT64_MAX));
		cr_expect(eq(u64, number_at(recent, TID, at + 60, at + 70), UINT64_MAX));
		bool found = recent_times(recent, 3, 500 + i, &begin_ns, &end_ns);
		cr_expect(eq(int, found, i % 3 != 2));
		if (found) {
			cr_expect(eq(u64, begin_ns, at));
			cr_expect(eq(u64, end_ns, at + 50));
		}
	}
	/* in any order, of another thread, before and behind all */
	cr_expect(eq(u64, number_at(recent, TID, 10010, 10020), 500));
	cr_expect(eq(u64, number_at(recent, TID, 20010, 20020), 600));
	cr_expect(eq(u64, number_at(recent, TID + 1, 10010, 10020), UINT64_MAX));
	cr_expect(eq(u64, number_at(recent, 0, 10010, 10020), UINT64_MAX));
	cr_expect(eq(u64, number_at(recent, TID, 1, 2), UINT64_MAX));
	cr_expect(eq(u64, number_at(recent, TID, 90000, 90001), UINT64_MAX));
	recent_since(recent, 20000);
	cr_expect(eq(u64, number_at(recent, TID, 10010, 10020), UINT64_MAX));
	cr_expect(eq(u64, number_at(recent, TID, 20010, 20020), 600));
	recent_clear(recent);
	cr_expect(eq(u64, number_at(recent, TID, 20010, 20020), UINT64_MAX));
	cr_expect(eq(int, recent_times(recent, 3, 600, &begin_ns, &end_ns), 0));
	recent_free(recent);
}

/* The oldest go; a thread takes the place of another; the system's id belongs to the later one. */
Test(matched, calls_are_forgotten)
{
	struct recent *recent = recent_new();
	uint64_t begin_ns, end_ns;
	for (unsigned i = 0; i < 10; i++)
		note(recent, 3, TID, 3000ull * i, 3000, 1000000ull * (i + 1));
	cr_expect(eq(u64, number_at(recent, TID, 1000010, 1000020), UINT64_MAX));
	cr_expect(eq(int, recent_times(recent, 3, 0, &begin_ns, &end_ns), 0));
	cr_expect(eq(u64, number_at(recent, TID, 9000010, 9000020), 24000));
	cr_expect(eq(int, recent_times(recent, 3, 24000, &begin_ns, &end_ns), 1));
	note(recent, 3 + RECENT_THREADS, TID + 1, 0, 1, 50000000);
	cr_expect(eq(u64, number_at(recent, TID, 9000010, 9000020), UINT64_MAX));
	cr_expect(eq(int, recent_times(recent, 3, 24000, &begin_ns, &end_ns), 0));
	cr_expect(eq(u64, number_at(recent, TID + 1, 50000010, 50000020), 0));
	note(recent, 4, TID + 1, 7, 1, 60000000);
	cr_expect(eq(u64, number_at(recent, TID + 1, 50000010, 50000020), UINT64_MAX));
	cr_expect(eq(u64, number_at(recent, TID + 1, 60000010, 60000020), 7));
	recent_free(recent);
}
