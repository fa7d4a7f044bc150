/* SPDX-License-Identifier: MIT */
/*
 * Frames that a thread decodes ahead: what comes out is what a reader without one gives, however
 * much there is, whatever is damaged, and whenever the reader is closed.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/trace_result.h"

#define FRAMES 12u
#define BLOCKS 40u
#define EVENTS 250u

/* More events and blocks than the thread may be ahead; definitions in each frame. */
static struct maker *make_large(void)
{
	struct maker *maker = maker_new();
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		maker_definitions(maker);
		for (unsigned i = 0; i < BLOCKS; i++)
			maker_events(maker, 1, (uint64_t)(frame * BLOCKS + i) * EVENTS, EVENTS);
		if (frame + 1 == FRAMES)
			maker_end(maker);
		maker_frame(maker);
	}
	return maker;
}

Test(ahead, gives_all_of_a_trace_that_is_larger_than_its_room)
{
	struct maker *maker = make_large();
	struct maker_result result = maker_read_bytes(maker->bytes, maker->size);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.events, FRAMES * BLOCKS * EVENTS));
	cr_assert(eq(u64, result.health.missing, 0));
	cr_assert(result.health.clean_end);
	maker_free(maker);
}

/* maker_read_bytes() compares both ways of reading. */
Test(ahead, goes_on_without_a_thread_behind_damage)
{
	struct maker *maker = maker_trace(8, 20);
	uint8_t *bytes = malloc(maker->size);
	for (unsigned frame = 0; frame < 8; frame++)
		for (size_t at = 0; at < 3; at++) {
			size_t length = maker->frame_at[frame + 1] - maker->frame_at[frame];
			memcpy(bytes, maker->bytes, maker->size);
			bytes[maker->frame_at[frame] + at * (length - 1) / 2] ^= 0x55;
			struct maker_result result = maker_read_bytes(bytes, maker->size);
			cr_assert(eq(u64, result.health.events, 7 * 40));
			(void)maker_read_bytes(bytes, maker->size - length / 2);
		}
	free(bytes);
	maker_free(maker);
}

/* Checksums are right and what they cover is not: every byte of a frame in turn. */
Test(ahead, gives_up_the_same_rest_of_a_frame)
{
	unsigned damaged = 0;
	for (size_t at = 0;; at++) {
		struct maker *maker = maker_trace(2, 3);
		maker_definitions(maker);
		maker_events(maker, 1, 6, 5);
		if (at == encoder_size(maker->encoder)) {
			maker_free(maker);
			break;
		}
		maker->raw[at] ^= 0xff;
		maker_frame(maker);
		maker_events(maker, 1, 11, 4);
		maker_frame(maker);
		struct maker_result result = maker_read_bytes(maker->bytes, maker->size);
		cr_assert(eq(int, result.code, 0));
		damaged += result.health.damaged_frames;
		maker_free(maker);
	}
	cr_assert(gt(u32, damaged, 100));
}

Test(ahead, can_be_closed_at_any_item)
{
	struct maker *maker = make_large();
	char path[64];
	int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
	for (unsigned items = 0; items < FRAMES * BLOCKS; items += 1 + items / 7) {
		struct reader *reader;
		struct item item;
		cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
		reader_read_ahead(reader);
		for (unsigned i = 0; i < items; i++)
			cr_assert(eq(int, reader_next(reader, &item, NULL), 0));
		reader_close(reader);
	}
	(void)close(fd);
	maker_free(maker);
}
