/* SPDX-License-Identifier: MIT */
/* What a trace says of calls by their numbers gets their times when it is read. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/read/reader.h"
#include "test/unit/analyzer/trace_maker.h"

/* Calls 0 to 9 of thread 1 in a frame, what the device says of them in the next one. */
static struct maker *make_two_frames(void)
{
	struct maker *maker = maker_new();
	struct record records[10];
	records[0] = maker_record(0);
	records[0].kind = RECORD_SOURCE_STATE;
	maker_definitions(maker);
	MAKER_CHECK(encoder_add_events(maker->encoder, 2, 0, records, 1) == 0);
	maker_events(maker, 1, 0, 10);
	maker_frame(maker);
	for (unsigned i = 0; i < 10; i++) {
		records[i] = (struct record){.kind = RECORD_DEVICE_API,
			.begin = MAKER_BEGIN + 1000 * i + 100,
			.end = MAKER_BEGIN + 1000 * i + 200,
			.place = 100 + i};
		codec_match(&records[i], 1, i);
	}
	MAKER_CHECK(encoder_add_matched(maker->encoder, 2, 1, records, 10) == 0);
	maker->event += 11;
	maker_end(maker);
	maker_frame(maker);
	return maker;
}

/* Sum of what is told of the ten; every one has the times of its call. */
static unsigned count_told(struct reader *reader)
{
	struct item item;
	unsigned count = 0;
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		for (unsigned i = 0; item.type == ITEM_EVENTS && i < item.count; i++) {
			const struct record *record = &item.records[i];
			if (record->kind != RECORD_DEVICE_API)
				continue;
			struct record call = maker_record(record->place - 100);
			cr_expect(eq(u64, record->begin, call.begin));
			cr_expect(eq(u64, record->end, call.end));
			cr_expect(eq(u32, record->name, 0));
			cr_expect(eq(u64, record->b, 0));
			count++;
		}
	return count;
}

static unsigned read_from(const struct maker *maker, unsigned frame, uint64_t from_ns,
	uint64_t to_ns, struct reader_health *ret_health)
{
	char path[64];
	struct reader *reader;
	size_t at = maker->frame_at[frame];
	int fd = maker_file(maker->bytes + at, maker->size - at, path, sizeof(path));
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	if (to_ns != 0)
		reader_set_window(reader, from_ns, to_ns);
	unsigned count = count_told(reader);
	*ret_health = *reader_health(reader);
	reader_close(reader);
	(void)close(fd);
	return count;
}

Test(outgoing, matched_ones_have_the_times_of_their_calls)
{
	struct maker *maker = make_two_frames();
	struct reader_health health;
	cr_expect(eq(u32, read_from(maker, 0, 0, 0, &health), 10));
	cr_expect(eq(u64, health.events, 21));
	cr_expect(eq(u64, health.missing, 0));
	maker_free(maker);
}

Test(outgoing, matched_ones_are_missing_without_their_calls)
{
	struct maker *maker = make_two_frames();
	struct reader_health health;
	cr_expect(eq(u32, read_from(maker, 1, 0, 0, &health), 0));
	cr_expect(eq(u64, health.events, 0));
	cr_expect(eq(u64, health.missing, 21));
	maker_free(maker);
}

Test(outgoing, matched_ones_are_those_of_calls_in_the_window)
{
	struct maker *maker = make_two_frames();
	struct reader_health health;
	cr_expect(eq(u32, read_from(maker, 0, MAKER_BEGIN + 2000, MAKER_BEGIN + 4900, &health), 3));
	cr_expect(eq(u64, health.missing, 0));
	maker_free(maker);
}
