/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <zlib.h>

#include "analyzer/page/choose.h"
#include "analyzer/page/pack.h"
#include "analyzer/page/track.h"

static uint32_t value_of(char digit)
{
	cr_assert(digit >= '!' && digit <= '}' && strchr("<\"", digit) == NULL, "%c", digit);
	return digit == '!' ? '<' - '#' : (uint32_t)(digit - '#');
}

/* What a browser would have of a packed text; *ret_size bytes. */
static uint8_t *unpack(const struct out *text, size_t *ret_size)
{
	static uint8_t packed[1 << 20], bytes[1 << 22];
	size_t size = 0;
	uint32_t bits = 0, count = 0;
	for (size_t i = 0; i < text->used; i += 2) {
		bool pair = i + 1 < text->used;
		uint32_t high = pair ? value_of(text->buffer[i + 1]) : 0;
		bits |= (value_of(text->buffer[i]) + 91 * high) << count;
		for (count += pair ? 13 : 6; count >= 8; count -= 8, bits >>= 8)
			packed[size++] = (uint8_t)bits;
	}
	z_stream stream = {.next_in = packed,
		.avail_in = (uInt)size,
		.next_out = bytes,
		.avail_out = sizeof(bytes)};
	cr_assert(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
	cr_assert(inflate(&stream, Z_FINISH) == Z_STREAM_END);
	cr_assert(eq(uint, stream.avail_in, 0), "a browser refuses what comes after the end");
	*ret_size = stream.total_out;
	inflateEnd(&stream);
	return bytes;
}

static struct out text;
static struct pack *pack;

static void setup(void)
{
	cr_assert(out_open_memory(&text) == 0);
	pack = pack_new(&text);
}

static void teardown(void)
{
	pack_free(pack);
	out_close(&text);
}

TestSuite(pack, .init = setup, .fini = teardown);

Test(pack, bytes_come_back_whatever_their_number)
{
	static uint8_t all[300000];
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)(i * 2654435761u >> 13);
	size_t at = 0, size;
	for (size_t part = 1; at < sizeof(all); at += part, part = part * 3 % 7919 + 1) {
		part = part < sizeof(all) - at ? part : sizeof(all) - at;
		pack_bytes(pack, all + at, part);
	}
	pack_finish(pack);
	const uint8_t *bytes = unpack(&text, &size);
	cr_assert(eq(sz, size, sizeof(all)));
	cr_assert(memcmp(bytes, all, size) == 0);
}

Test(pack, nothing_comes_after_the_last_byte)
{
	for (size_t size = 0; size < 64; size++) {
		uint8_t all[64];
		size_t back;
		for (size_t i = 0; i < size; i++)
			all[i] = (uint8_t)(i * 2654435761u >> 13);
		pack_bytes(pack, all, size);
		pack_finish(pack);
		const uint8_t *bytes = unpack(&text, &back);
		cr_assert(eq(sz, back, size));
		cr_assert(memcmp(bytes, all, size) == 0);
		teardown();
		setup();
	}
}

Test(pack, a_column_has_the_planes_that_its_largest_number_needs)
{
	const uint64_t values[] = {1, 0x1234, 0xff}, zeros[] = {0, 0}, largest[] = {UINT64_MAX};
	static const uint8_t wanted[] = {2, 1, 0x34, 0xff, 0, 0x12, 0, 0, 8, 255, 255, 255, 255,
		255, 255, 255, 255, 9, 1, 2, 0};
	pack_column(pack, values, 3);
	pack_column(pack, zeros, 2);
	pack_column(pack, largest, 1);
	pack_u32(pack, 0x00020109);
	pack_finish(pack);
	size_t size;
	const uint8_t *bytes = unpack(&text, &size);
	cr_assert(eq(sz, size, sizeof(wanted)));
	cr_assert(memcmp(bytes, wanted, size) == 0);
}

/* One code for noise and for what is nearly always the same would be a longer one for noise. */
Test(pack, noise_takes_no_more_beside_what_is_alike)
{
	static uint64_t values[16384];
	static uint8_t planes[2][16384];
	const uint32_t count = 16384;
	for (uint32_t i = 0, seed = 1; i < count; i++) {
		seed = seed * 1664525 + 1013904223;
		values[i] = (seed >> 24) | (seed >> 8 & 0xfff) % 9 << 8;
		planes[0][i] = (uint8_t)values[i];
		planes[1][i] = (uint8_t)(values[i] >> 8);
	}
	pack_column(pack, values, count);
	pack_finish(pack);
	size_t together = text.used, alone = 0, size;
	const uint8_t *bytes = unpack(&text, &size);
	cr_assert(eq(sz, size, 1 + sizeof(planes)));
	cr_assert(memcmp(bytes + 1, planes, sizeof(planes)) == 0);
	for (unsigned plane = 0; plane < 2; plane++) {
		teardown();
		setup();
		pack_bytes(pack, planes[plane], count);
		pack_finish(pack);
		alone += text.used;
	}
	cr_assert(le(sz, together, alone + 64), "%zu %zu", together, alone);
}

Test(pack, differences_of_either_sign_are_small)
{
	cr_assert(eq(u64, pack_signed(0), 0));
	cr_assert(eq(u64, pack_signed(1), 2));
	cr_assert(eq(u64, pack_signed((uint64_t)-1), 1));
	cr_assert(eq(u64, pack_signed((uint64_t)-300), 599));
}

/* Labels as they came, all else by label. The one of label 2 lies around the second of label 1. */
Test(pack, what_is_alike_lies_together)
{
	struct track_room *room = track_room_new(pack);
	struct track track = {.number = 7, .before_ns = 100};
	const struct track_event events[] = {{110, 5, 40, 1}, {120, 6, 0, 1}, {118, 10, 900, 2},
		{130, 7, 41, 1}, {140, 0, UINT64_MAX, 3}};
	static const uint8_t wanted[] = {'E', 7, 0, 0, 0, 5, 0, 0, 0, /* labels */ 1, 1, 1, 2, 1, 3,
		/* inside */ 1, 0, 0, 0, 1, 0, /* begins */ 1, 20, 10, 4, 2, 6,
		/* lengths */ 1, 5, 6, 7, 2, 0};
	for (size_t i = 0; i < 5; i++)
		track_event(&track, room, &events[i]);
	track_flush(&track, room);
	pack_finish(pack);
	size_t size;
	const uint8_t *bytes = unpack(&text, &size);
	cr_assert(memcmp(bytes, wanted, sizeof(wanted)) == 0);
	/* from the last value but 0, one more: 40, 0, 41 - 900, 900 - 40, -1 - 41 */
	static const uint8_t values[] = {2, 81, 0, 0xb6, 0xb9, 84, 0, 0, 0x06, 0x06, 0};
	cr_assert(eq(sz, size, sizeof(wanted) + sizeof(values)));
	cr_assert(memcmp(bytes + sizeof(wanted), values, sizeof(values)) == 0);
	cr_assert(eq(u64, track.events, 5));
	track_release(&track);
	track_room_free(room);
}

Test(pack, sums_hold_every_event_and_all_its_time)
{
	struct track track = {0};
	const struct track_grid grid = {.begin_ns = 1000, .width_ns = 100, .count = 10};
	const struct track_event events[] = {{.begin = 1050, .ns = 200}, {.begin = 1999, .ns = 0},
		{.begin = 500, .ns = 100}, {.begin = 1900, .ns = 500}};
	for (size_t i = 0; i < 4; i++)
		cr_assert(track_sum(&track, &grid, &events[i]) == 0);
	cr_assert(eq(u64, track.in_bins, 4));
	uint64_t sum = 0, count = 0;
	for (size_t i = 0; i < grid.count; i++) {
		sum += track.bins[i].ns;
		count += track.bins[i].events;
	}
	cr_assert(eq(u64, count, 4));
	cr_assert(eq(u64, track.bins[0].ns, 50 + 100)); /* what began before counts in the first */
	cr_assert(eq(u64, track.bins[1].ns, 100));
	cr_assert(eq(u64, track.bins[2].ns, 50));
	cr_assert(eq(u64, track.bins[9].ns, 100)); /* what lies behind the end is cut off */
	cr_assert(eq(u64, sum, 50 + 100 + 100 + 50 + 100));
	track_release(&track);
}

static bool is_third(const void *context, uint64_t step)
{
	(void)context;
	return step == 3;
}

Test(pack, typical_and_worst_steps_are_chosen_once_each)
{
	struct history *history = history_new(true);
	static const uint64_t lengths[] = {900, 100, 120, 110, 400, 105};
	uint64_t at = 0;
	for (uint64_t i = 0; i < 6; i++) {
		struct history_step step = {.begin_ns = at, .end_ns = at + lengths[i], .number = i};
		step.cause_ns[CAUSE_DEVICE_COMPUTE] = lengths[i];
		step.cause_ns[CAUSE_IDLE_GC] = i == 2 ? 60 : 0;
		cr_assert(vec_push(&history->steps, step) == 0);
		at += lengths[i];
	}
	struct choose_options options = {.first = 1, .until = 6};
	chosen_steps chosen = {0};
	cr_assert(choose_steps(history, &options, &chosen) == 0);
	cr_assert(eq(sz, chosen.count, 4));
	static const uint64_t numbers[] = {1, 2, 3, 4};
	static const char *const whys[] = {"first steady", "idle_gc", "median", "longest"};
	for (size_t i = 0; i < 4; i++) {
		cr_assert(eq(u64, chosen.items[i].number, numbers[i]));
		cr_assert(eq(str, (char *)chosen.items[i].why, (char *)whys[i]));
	}
	vec_release(&chosen);
	options.named = is_third;
	cr_assert(choose_steps(history, &options, &chosen) == 0);
	cr_assert(eq(sz, chosen.count, 1));
	cr_assert(eq(u64, chosen.items[0].number, 3));
	vec_release(&chosen);
	history_free(history);
}
