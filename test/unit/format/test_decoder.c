/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/layout.h"
#include "collector/codec/pack.h"
#include "test/unit/format/format_random.h"

/* Frames as another writer would make them, by hand. */
static uint8_t bytes[1u << 20];
static struct pack pack;
static struct decoder *decoder;
static struct item item;
static struct err_at at;

static void begin(void)
{
	decoder = decoder_new();
	pack_init(&pack, bytes, sizeof(bytes));
	at = (struct err_at){0};
}

static void finish(void)
{
	decoder_free(decoder);
}

TestSuite(decoder, .init = begin, .fini = finish);

static void text(const char *value)
{
	pack_text(&pack, value, FORMAT_TEXT_LIMIT);
}

static void key_uint(const char *key, uint64_t value)
{
	text(key);
	pack_uint(&pack, value);
}

static void ints(const char *key, unsigned count, const int64_t *values)
{
	text(key);
	pack_array(&pack, count);
	for (unsigned i = 0; i < count; i++)
		pack_int(&pack, values[i]);
}

static void field(const char *name, const char *type)
{
	pack_array(&pack, 2);
	text(name);
	text(type);
}

/* A map of events up to and including "count". */
static void block(unsigned pairs, uint64_t count)
{
	pack_map(&pack, pairs);
	text("t");
	text("events");
	key_uint("thread", 4);
	key_uint("first", 100);
	key_uint("count", count);
}

static int decode(void)
{
	decoder_feed(decoder, bytes, (size_t)(pack.next - bytes));
	return decoder_next(decoder, &item, &at);
}

/* Fields in another order, some missing, one from the future, a surplus part of a definition. */
static void newer_sync_kind(void)
{
	pack_array(&pack, 5);
	pack_uint(&pack, RECORD_SYNC);
	text("sync");
	pack_array(&pack, 3);
	field("scope", "uint");
	field("colour", "uint");
	field("stream", "handle");
	pack_array(&pack, 2);
	field("depth", "uint");
	field("weight", "int");
	text("from the future");
}

Test(decoder, reads_fields_by_name_and_ignores_the_unknown)
{
	block(10, 2);
	text("kinds");
	pack_array(&pack, 1);
	newer_sync_kind();
	text("sites");
	pack_array(&pack, 1);
	pack_array(&pack, 4);
	pack_uint(&pack, RECORD_SYNC);
	pack_uint(&pack, SYNC_EVENT);
	pack_uint(&pack, 77);
	pack_uint(&pack, UINT64_MAX);
	ints("site", 2, (int64_t[]){0, 0});
	ints("dur", 2, (int64_t[]){10, 4});
	ints("extra", 4, (int64_t[]){1, 2, 3, 4});
	ints("end", 2, (int64_t[]){50, 25});
	cr_assert(eq(int, decode(), 0), "%s at %lu", at.what, (unsigned long)at.offset);
	cr_assert(eq(int, item.type, ITEM_EVENTS));
	cr_assert(eq(u32, item.count, 2));
	cr_assert(eq(u32, item.thread, 4));
	cr_assert(eq(u64, item.first_sequence, 100));
	struct record expected = {.kind = RECORD_SYNC, .stream = UINT64_MAX, .b = SYNC_EVENT};
	expected.begin = 40;
	expected.end = 50;
	cr_assert(memcmp(&item.records[0], &expected, sizeof(expected)) == 0);
	expected.begin = 75 - 14;
	expected.end = 75;
	cr_assert(memcmp(&item.records[1], &expected, sizeof(expected)) == 0);
	cr_assert(eq(u64, decoder_skipped(decoder), 0));
}

/* An event of an unknown kind is dropped, but its times and columns count for those after it. */
Test(decoder, skips_unknown_kinds_and_keeps_the_rest_right)
{
	block(11, 3);
	text("future");
	pack_map(&pack, 1);
	text("nested");
	pack_array(&pack, 0);
	text("kinds");
	pack_array(&pack, 2);
	pack_array(&pack, 4);
	pack_uint(&pack, 200);
	text("unheard of");
	pack_array(&pack, 0);
	pack_array(&pack, 1);
	field("x", "uint");
	pack_array(&pack, 4);
	pack_uint(&pack, RECORD_SAMPLE);
	text("sample");
	pack_array(&pack, 1);
	field("metric", "uint");
	pack_array(&pack, 1);
	field("value", "uint");
	text("sites");
	pack_array(&pack, 2);
	pack_array(&pack, 1);
	pack_uint(&pack, 200);
	pack_array(&pack, 2);
	pack_uint(&pack, RECORD_SAMPLE);
	pack_uint(&pack, 3);
	ints("site", 3, (int64_t[]){1, -1, 1});
	ints("end", 3, (int64_t[]){1000, 100, 7});
	ints("dur", 3, (int64_t[]){0, 60, 0});
	ints("extra", 3, (int64_t[]){5, 99, 6});
	cr_assert(eq(int, decode(), 0), "%s at %lu", at.what, (unsigned long)at.offset);
	cr_assert(eq(u32, item.count, 2));
	cr_assert(eq(u64, item.next_sequence, 103));
	cr_assert(eq(u64, decoder_skipped(decoder), 1));
	cr_assert(eq(u64, item.records[0].end, 1000));
	cr_assert(eq(u64, item.records[0].a, 5));
	cr_assert(eq(u64, item.records[1].end, 1107));
	cr_assert(eq(u64, item.records[1].a, 11));
	cr_assert(eq(u32, item.records[1].c, 3));
}

Test(decoder, skips_unknown_maps_and_keys)
{
	pack_map(&pack, 3);
	text("t");
	text("hologram");
	text("a");
	pack_array(&pack, 1);
	pack_map(&pack, 1);
	text("deep");
	pack_int(&pack, -7);
	text("b");
	pack_raw(&pack, "\xcb\x40\x09\x21\xfb\x54\x44\x2d\x18", 9); /* a double */
	pack_map(&pack, 4);
	text("t");
	text("name");
	text("text");
	text("kernel");
	text("mangled");
	pack_raw(&pack, "\xc0", 1); /* nil */
	key_uint("id", 12);
	cr_assert(eq(int, decode(), 0));
	cr_assert(eq(int, item.type, ITEM_META));
	cr_assert(eq(int, item.meta.kind, META_NAME));
	cr_assert(eq(u64, item.meta.u.name.id, 12));
	cr_assert(eq(int, strcmp(item.meta.u.name.text, "kernel"), 0));
	cr_assert(eq(u64, decoder_skipped(decoder), 1));
	cr_assert(eq(int, decoder_next(decoder, &item, &at), 0));
	cr_assert(eq(int, item.type, ITEM_END));
}

Test(decoder, missing_fields_of_a_map_are_empty)
{
	pack_map(&pack, 1);
	text("t");
	text("run");
	cr_assert(eq(int, decode(), 0));
	cr_assert(eq(int, item.meta.kind, META_RUN));
	cr_assert(eq(u64, item.meta.u.run.pid, 0));
	cr_assert(eq(int, strcmp(item.meta.u.run.host, ""), 0));
	cr_assert(eq(int, strcmp(item.meta.u.run.ring_memory, ""), 0));
}

struct bad {
	const char *what;
	const char *bytes;
	size_t size;
};
#define BAD(what, bytes)                                                                           \
	{                                                                                          \
		what, bytes, sizeof(bytes) - 1                                                     \
	}
#define EVENTS                                                                                     \
	"\xa1t\xa6"                                                                                \
	"events"                                                                                   \
	"\xa6thread\x01\xa5"                                                                       \
	"first\x00\xa5"                                                                            \
	"count"

/* Each is refused at once, whatever it claims. */
Test(decoder, refuses_bombs_and_nonsense)
{
	static const struct bad bads[] = {
		BAD("no map", "\x05"),
		BAD("an array", "\x91\x01"),
		BAD("an empty map", "\x80"),
		BAD("another first key", "\x81\xa1x\x01"),
		BAD("a key that is no text", "\x81\x01\x01"),
		BAD("a kind that is no text", "\x81\xa1t\x01"),
		BAD("an unused byte", "\x81\xa1t\xc1"),
		BAD("2^32 - 1 pairs", "\xdf\xff\xff\xff\xff\xa1t\xa4name"),
		BAD("a text beyond the end", "\x81\xa1t\xdb\xff\xff\xff\xff"
					     "abc"),
		BAD("an array of 100 million in an unknown map",
			"\x82\xa1t\xa1z\xa1k\xdd\x05\xff\xff\xff"),
		BAD("an extension beyond the end", "\x82\xa1t\xa1z\xa1k\xc9\xff\xff\xff\xff\x01"),
		BAD("a number for a text", "\x82\xa1t\xa4name\xa4text\x01"),
		BAD("a text for a number", "\x82\xa1t\xa4name\xa2id\xa1x"),
		BAD("too large a count", "\x8a" EVENTS "\xcd\x10\x01\xa4site\xdc\x10\x01"),
		BAD("a column before count", "\x83\xa1t\xa6"
					     "events"
					     "\xa3"
					     "end\x90\xa5"
					     "count\x00"),
		BAD("a block without columns", "\x84" EVENTS "\x00"),
		BAD("a site that is not there", "\x87" EVENTS "\x01\xa4site\x91\x00\xa3"
						"end\x91\x00\xa3"
						"dur\x91\x00"),
		BAD("a column that is too short", "\x87" EVENTS "\x02\xa4site\x91\x00\xa3"
						  "end\x91\x00\xa3"
						  "dur\x91\x00"),
		BAD("a site without kind", "\x85" EVENTS "\x00\xa5"
					   "sites\x91\x91\x01"),
		BAD("a kind of number 256",
			"\x85" EVENTS "\x00\xa5kinds\x91\x94\xcd\x01\x00\xa1k\x90\x90"),
		BAD("a kind defined twice",
			"\x85" EVENTS
			"\x00\xa5kinds\x92\x94\x01\xa1k\x90\x90\x94\x01\xa1k\x90\x90"),
		BAD("2^32 - 1 fields",
			"\x85" EVENTS "\x00\xa5kinds\x91\x94\x01\xa1k\xdd\xff\xff\xff\xff"),
		BAD("a key twice", "\x86" EVENTS "\x00\xa4site\x90\xa4site\x90"),
	};
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		/* In memory of its own size, so that a step behind the end is seen. */
		uint8_t *copy = malloc(bads[i].size);
		memcpy(copy, bads[i].bytes, bads[i].size);
		decoder_feed(decoder, copy, bads[i].size);
		cr_assert(eq(int, decoder_next(decoder, &item, &at), -ERR_DAMAGED), "%s",
			bads[i].what);
		cr_assert(le(u64, at.offset, bads[i].size), "%s", bads[i].what);
		cr_assert(ne(ptr, (void *)at.what, NULL));
		cr_assert(eq(int, decoder_next(decoder, &item, NULL), -ERR_DAMAGED));
		free(copy);
	}
}

/* A million nested arrays inside an unknown map: stepped over, or refused when one is missing. */
Test(decoder, does_not_recurse)
{
	pack_map(&pack, 2);
	text("t");
	text("deep");
	text("x");
	size_t depth = (size_t)(pack.end - pack.next) - 1;
	memset(pack.next, 0x91, depth);
	pack.next += depth;
	cr_assert(eq(int, decode(), -ERR_DAMAGED));
	*pack.next++ = 0xc0;
	cr_assert(eq(int, decode(), 0));
	cr_assert(eq(int, item.type, ITEM_END));
}

/* Sites without end: no more than the format allows are taken. */
Test(decoder, refuses_more_sites_than_allowed)
{
	block(6, 0);
	text("kinds");
	pack_array(&pack, 1);
	pack_array(&pack, 4);
	pack_uint(&pack, 1);
	text("k");
	pack_array(&pack, 0);
	pack_array(&pack, 0);
	text("sites");
	pack_array(&pack, FORMAT_SITE_LIMIT + 1);
	for (unsigned i = 0; i <= FORMAT_SITE_LIMIT; i++)
		pack_raw(&pack, "\x91\x01", 2);
	cr_assert(eq(int, decode(), -ERR_DAMAGED));
}

/* A frame with everything in it, for cutting and damaging. */
static size_t make_frame(uint8_t *frame, size_t capacity)
{
	static struct record records[120];
	uint64_t seed = 9;
	struct meta name = {.kind = META_NAME, .u.name = {.id = 3, .text = "a kernel"}};
	struct meta end = {.kind = META_END, .u.end = {.reason = "exit", .events = 120}};
	struct encoder *encoder = encoder_new(frame, capacity);
	random_records(&seed, records, 120, 25);
	cr_assert(eq(int, encoder_add_meta(encoder, &name), 0));
	cr_assert(eq(int, encoder_add_events(encoder, 1, 0, records, 60), 0));
	cr_assert(eq(int, encoder_add_events(encoder, 2, 0, records + 60, 60), 0));
	cr_assert(eq(int, encoder_add_meta(encoder, &end), 0));
	size_t size = encoder_size(encoder);
	encoder_free(encoder);
	return size;
}

/* Reads to the end or to the first error; returns items that were whole. */
static unsigned read_all(const uint8_t *frame, size_t size, int *ret_error)
{
	unsigned count = 0;
	decoder_feed(decoder, frame, size);
	while ((*ret_error = decoder_next(decoder, &item, &at)) == 0 && item.type != ITEM_END)
		count++;
	return count;
}

Test(decoder, every_cut_gives_whole_items_then_an_error)
{
	size_t size = make_frame(bytes, sizeof(bytes)), boundaries = 0;
	unsigned before = 0;
	int error;
	cr_assert(eq(u32, read_all(bytes, size, &error), 4));
	cr_assert(eq(int, error, 0));
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = malloc(cut + 1);
		memcpy(copy, bytes, cut);
		unsigned count = read_all(copy, cut, &error);
		cr_assert(ge(u32, count, before));
		cr_assert(lt(u32, count, 4));
		before = count;
		boundaries += error == 0;
		free(copy);
	}
	/* Only a cut between two maps looks whole; the frame around it tells. */
	cr_assert(eq(sz, boundaries, 4));
}

/* Whatever the bytes, decoding ends without a fault (run under sanitizers as well). */
Test(decoder, survives_every_damaged_byte)
{
	size_t size = make_frame(bytes, sizeof(bytes));
	uint64_t seed = 10;
	uint8_t *copy = malloc(size);
	int error;
	for (size_t i = 0; i < size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(copy, bytes, size);
			copy[i] ^= (uint8_t)(1u << bit);
			(void)read_all(copy, size, &error);
			cr_assert(error == 0 || error == -ERR_DAMAGED);
		}
	for (unsigned round = 0; round < 20000; round++) {
		memcpy(copy, bytes, size);
		for (unsigned i = 0; i < 4; i++)
			copy[random_next(&seed) % size] = (uint8_t)random_next(&seed);
		(void)read_all(copy, size, &error);
		cr_assert(error == 0 || error == -ERR_DAMAGED);
	}
	free(copy);
}
