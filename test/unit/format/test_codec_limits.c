/* SPDX-License-Identifier: MIT */
/* The limits of a block, a site's step and a frame, on both sides of the format. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/layout.h"
#include "collector/codec/pack.h"
#include "test/unit/format/format_random.h"

static uint8_t buffer[CODEC_FRAME_LIMIT], other[CODEC_FRAME_LIMIT];
static struct record records[CODEC_BLOCK_LIMIT + 1];
static struct decoder *decoder;
static struct item item;
static struct pack pack;

static void begin(void)
{
	decoder = decoder_new();
	pack_init(&pack, buffer, sizeof(buffer));
}

static void end(void)
{
	decoder_free(decoder);
}

TestSuite(codec_limits, .init = begin, .fini = end);

static void expect_records(const struct record *expected, unsigned count)
{
	cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
	cr_assert(eq(int, item.type, ITEM_EVENTS));
	cr_assert(eq(u32, item.count, count));
	for (unsigned i = 0; i < count; i++)
		cr_assert(memcmp(&item.records[i], &expected[i], sizeof(*expected)) == 0,
			"record %u", i);
}

/* A launch of the kernel of that name: each name is a site. */
static struct record launch(uint32_t name, uint64_t at_ns, uint64_t ns)
{
	return (struct record){
		.kind = RECORD_LAUNCH, .name = name, .begin = at_ns, .end = at_ns + ns};
}

Test(codec_limits, of_a_block)
{
	static const struct {
		unsigned count;
		int result;
	} cases[] = {{0, 0}, {1, 0}, {CODEC_BLOCK_LIMIT, 0}, {CODEC_BLOCK_LIMIT + 1, -EINVAL}};
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	for (unsigned i = 0; i <= CODEC_BLOCK_LIMIT; i++)
		records[i] = launch(1 + i % 7, 1000 * i, 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned events = cases[i].result == 0 ? cases[i].count : 0;
		encoder_reset(encoder);
		cr_expect(eq(int, encoder_add_events(encoder, 1, 0, records, cases[i].count),
				  cases[i].result),
			"%u", cases[i].count);
		cr_expect(eq(u64, encoder_events(encoder), events));
		decoder_feed(decoder, buffer, encoder_size(encoder));
		if (events > 0)
			expect_records(records, events);
	}
	encoder_free(encoder);
}

/* From one site to another and back: steps that just fit one byte, and those that do not. */
Test(codec_limits, of_a_step_from_site_to_site)
{
	static const int steps[] = {1, 31, 32, 33, 63, 64, 126, 127, 128, 129, 255, 256, 32767, 2};
	const unsigned sites = 4000;
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	uint64_t at_ns = 0;
	for (unsigned i = 0; i < sites; i++)
		records[i] = launch(1 + i, at_ns += 1000, 100);
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, records, sites), 0));
	decoder_feed(decoder, buffer, encoder_size(encoder));
	static struct record walk[64];
	unsigned count = 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i] >= (int)sites)
			continue;
		walk[count++] = launch(1, at_ns += 1000, 100);
		walk[count++] = launch(1 + (uint32_t)steps[i], at_ns += 1000, 100);
	}
	cr_assert(eq(int, encoder_add_events(encoder, 1, sites, walk, count), 0));
	decoder_feed(decoder, buffer, encoder_size(encoder));
	expect_records(records, sites);
	expect_records(walk, count);
	encoder_free(encoder);
}

/* A block that did not fit leaves no site, no expectation and no column behind. */
Test(codec_limits, what_was_refused_was_never_there)
{
	static uint8_t small[65536], plain[65536];
	struct encoder *tried = encoder_new(small, sizeof(small));
	struct encoder *never = encoder_new(plain, sizeof(plain));
	uint64_t seed = 3;
	struct record first[20], last[20];
	random_records(&seed, first, 20, 10);
	random_records(&seed, records, CODEC_BLOCK_LIMIT, CODEC_BLOCK_LIMIT);
	/* the sites of the first block with other times, and new ones of which some come again */
	for (unsigned i = 0; i < 20; i++) {
		records[i] = first[i];
		records[i].end += 100000;
		last[i] = i % 2 == 0 ? records[100 + i] : first[i];
	}
	cr_assert(eq(int, encoder_add_events(tried, 1, 0, first, 20), 0));
	cr_assert(eq(int, encoder_add_events(tried, 1, 20, records, CODEC_BLOCK_LIMIT), -ENOSPC));
	cr_assert(eq(int, encoder_add_events(tried, 1, 20, last, 20), 0));
	cr_assert(eq(int, encoder_add_events(never, 1, 0, first, 20), 0));
	cr_assert(eq(int, encoder_add_events(never, 1, 20, last, 20), 0));
	cr_assert(eq(sz, encoder_size(tried), encoder_size(never)));
	cr_expect(memcmp(small, plain, encoder_size(never)) == 0);
	decoder_feed(decoder, small, encoder_size(tried));
	expect_records(first, 20);
	expect_records(last, 20);
	encoder_free(tried);
	encoder_free(never);
}

/* A kind without a name travels as none, to the byte. */
Test(codec_limits, unknown_kinds_are_none)
{
	static const uint16_t kinds[] = {RECORD_KIND_LIMIT, RECORD_KIND_LIMIT + 1, 999, UINT16_MAX};
	struct encoder *none = encoder_new(buffer, sizeof(buffer));
	struct encoder *unknown = encoder_new(other, sizeof(other));
	struct record record = {.begin = 10, .end = 20};
	cr_assert(eq(int, encoder_add_events(none, 1, 0, &record, 1), 0));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		record.kind = kinds[i];
		encoder_reset(unknown);
		cr_assert(eq(int, encoder_add_events(unknown, 1, 0, &record, 1), 0));
		cr_assert(eq(sz, encoder_size(unknown), encoder_size(none)), "%u", kinds[i]);
		cr_expect(memcmp(buffer, other, encoder_size(none)) == 0, "%u", kinds[i]);
	}
	encoder_free(none);
	encoder_free(unknown);
}

Test(codec_limits, a_frame_reaches_from_its_first_to_its_last)
{
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	cr_expect(eq(u64, encoder_first_ns(encoder), UINT64_MAX));
	records[0] = launch(1, 500, 100);
	records[1] = launch(1, 300, 50);
	records[2] = launch(1, 400, 900);
	records[3] = launch(1, 450, 10);
	records[4] = (struct record){.kind = RECORD_LAUNCH, .begin = 1400, .end = 200}; /* odd */
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, records, 2), 0));
	cr_expect(eq(u64, encoder_first_ns(encoder), 300));
	cr_expect(eq(u64, encoder_last_ns(encoder), 600));
	cr_assert(eq(int, encoder_add_events(encoder, 1, 2, records + 2, 2), 0));
	cr_expect(eq(u64, encoder_first_ns(encoder), 300));
	cr_expect(eq(u64, encoder_last_ns(encoder), 1300));
	cr_assert(eq(int, encoder_add_events(encoder, 1, 4, records + 4, 1), 0));
	cr_expect(eq(u64, encoder_first_ns(encoder), 200));
	cr_expect(eq(u64, encoder_last_ns(encoder), 1400));
	encoder_free(encoder);
}

static void text(const char *value)
{
	pack_text(&pack, value, FORMAT_TEXT_LIMIT);
}

static void number(const char *key, uint64_t value)
{
	text(key);
	pack_uint(&pack, value);
}

static void zeros(const char *key, unsigned count)
{
	text(key);
	pack_array(&pack, count);
	for (unsigned i = 0; i < count; i++)
		pack_uint(&pack, 0);
}

/* What a block of events by hand is like; each is sound but for one thing. */
struct raw {
	const char *name;
	uint64_t thread;
	unsigned count, extra;
	bool twice; /* the thread's number comes again */
	uint64_t site;
	int result;
};

/* A kind of one column, one site of it, count events of that site. */
static void encode_raw(const struct raw *raw)
{
	pack_init(&pack, buffer, sizeof(buffer));
	pack_map(&pack, 10u + raw->twice);
	text("t");
	text("events");
	number("thread", raw->thread);
	if (raw->twice)
		number("thread", raw->thread);
	number("first", 100);
	number("count", raw->count);
	text("kinds");
	pack_array(&pack, 1);
	pack_array(&pack, 4);
	pack_uint(&pack, RECORD_SYNC);
	text("sync");
	pack_array(&pack, 0);
	pack_array(&pack, 1);
	pack_array(&pack, 2);
	text("depth");
	text("uint");
	text("sites");
	pack_array(&pack, 1);
	pack_array(&pack, 1);
	pack_uint(&pack, RECORD_SYNC);
	text("site");
	pack_array(&pack, raw->count);
	for (unsigned i = 0; i < raw->count; i++)
		pack_uint(&pack, i == 0 ? raw->site : 0);
	zeros("end", raw->count);
	zeros("dur", raw->count);
	zeros("extra", raw->extra);
}

Test(codec_limits, what_a_decoder_takes)
{
	static const struct raw raws[] = {
		{"a sound block", 4, 2, 2, false, 0, 0},
		{"the largest block", 4, CODEC_BLOCK_LIMIT, CODEC_BLOCK_LIMIT, false, 0, 0},
		{"one event more", 4, CODEC_BLOCK_LIMIT + 1, CODEC_BLOCK_LIMIT + 1, false, 0,
			-ERR_DAMAGED},
		{"the largest thread", UINT32_MAX, 2, 2, false, 0, 0},
		{"a thread of more than 32 bits", 1ull << 32, 2, 2, false, 0, -ERR_DAMAGED},
		{"a part twice", 4, 2, 2, true, 0, -ERR_DAMAGED},
		{"the site after the last", 4, 2, 2, false, 1, -ERR_DAMAGED},
		{"a value too few", 4, 2, 1, false, 0, -ERR_DAMAGED},
		{"a value too many", 4, 2, 3, false, 0, -ERR_DAMAGED},
		{"no event", 4, 0, 0, false, 0, 0},
	};
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++) {
		encode_raw(&raws[i]);
		cr_assert(not(pack.full));
		decoder_feed(decoder, buffer, (size_t)(pack.next - buffer));
		cr_expect(eq(int, decoder_next(decoder, &item, NULL), raws[i].result), "%s",
			raws[i].name);
		if (raws[i].result != 0)
			continue;
		cr_expect(eq(u32, item.count, raws[i].count), "%s", raws[i].name);
		cr_expect(eq(u32, item.thread, (uint32_t)raws[i].thread), "%s", raws[i].name);
		cr_expect(eq(u64, item.next_sequence, 100 + raws[i].count), "%s", raws[i].name);
	}
}
