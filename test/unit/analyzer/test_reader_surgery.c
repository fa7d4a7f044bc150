/* SPDX-License-Identifier: MIT */
/* Traces taken apart and put together again, and files that change while they are read. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "test/unit/analyzer/trace_result.h"

#define FRAMES     4u
#define PER_THREAD 5u
#define PER_FRAME  (2 * PER_THREAD)

static struct maker *maker;
static uint8_t *bytes;
static size_t size;

static void make(void)
{
	maker = maker_trace(FRAMES, PER_THREAD);
	bytes = malloc(4 * maker->size);
	size = 0;
}

static void release(void)
{
	free(bytes);
	maker_free(maker);
}

TestSuite(reader_surgery, .init = make, .fini = release);

static void add(const struct maker *from, unsigned frame)
{
	size_t length = from->frame_at[frame + 1] - from->frame_at[frame];
	memcpy(bytes + size, from->bytes + from->frame_at[frame], length);
	size += length;
}

static void add_all(const unsigned *frames, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		add(maker, frames[i]);
}

Test(reader_surgery, counts_a_frame_that_was_taken_out)
{
	add_all((unsigned[]){0, 1, 3}, 3);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.missing_frames, 1));
	cr_assert(eq(u64, result.health.missing, PER_FRAME));
	cr_assert(eq(u64, result.health.events, 3 * PER_FRAME));
}

Test(reader_surgery, survives_the_loss_of_all_definitions)
{
	add_all((unsigned[]){1, 2, 3}, 3);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.missing_frames, 1));
	cr_assert(eq(u64, result.health.missing, PER_FRAME));
	cr_assert(eq(u64, result.health.events, 3 * PER_FRAME));
}

Test(reader_surgery, takes_a_duplicate_once)
{
	add_all((unsigned[]){0, 1, 1, 2, 3, 2}, 6);
	struct maker_result result = maker_read_bytes(bytes, size);
	struct maker_result right = maker_read_bytes(maker->bytes, maker->size);
	cr_assert(eq(u64, result.health.duplicate_frames, 2));
	cr_assert(eq(u64, result.health.missing_frames, 0));
	cr_assert(eq(u64, result.health.missing, 0));
	cr_assert(eq(u64, result.digest, right.digest));
}

Test(reader_surgery, notices_frames_out_of_order)
{
	add_all((unsigned[]){0, 2, 1, 3}, 4);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(u64, result.health.reordered_frames, 1));
	cr_assert(eq(u64, result.health.events, 4 * PER_FRAME));
	cr_assert(eq(u64, result.health.missing, 0));
	cr_assert(eq(u64, result.health.missing_frames, 0));
}

Test(reader_surgery, leaves_out_frames_of_another_process)
{
	struct maker *other = maker_new();
	other->pid = MAKER_PID + 1;
	maker_definitions(other);
	maker_events(other, 1, 0, 9);
	maker_frame(other);
	add_all((unsigned[]){0, 1, 2, 3}, 4);
	add(other, 0);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(u64, result.health.foreign_frames, 1));
	cr_assert(eq(u64, result.health.events, 4 * PER_FRAME));
	cr_assert(eq(u64, result.health.missing, 0));
	maker_free(other);
}

Test(reader_surgery, reads_two_files_of_one_process_glued_as_one)
{
	add_all((unsigned[]){0, 1, 2, 3, 0, 1, 2, 3}, 8);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(u64, result.health.duplicate_frames, 4));
	cr_assert(eq(u64, result.health.events, 4 * PER_FRAME));
}

Test(reader_surgery, refuses_a_newer_version_and_skips_newer_frames)
{
	struct maker *newer = maker_new();
	newer->version = FRAME_FORMAT_VERSION + 1;
	newer->sequence = 2;
	maker_events(newer, 1, 2 * PER_THREAD, PER_THREAD);
	maker_events(newer, 2, 2 * PER_THREAD, PER_THREAD);
	maker_frame(newer);
	cr_assert(eq(int, maker_read_bytes(newer->bytes, newer->size).code, -ERR_NEWER_VERSION));
	add_all((unsigned[]){0, 1}, 2);
	add(newer, 0);
	add(maker, 3);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(int, result.health.newer, true));
	cr_assert(eq(u64, result.health.missing, PER_FRAME));
	cr_assert(eq(u64, result.health.missing_frames, 0));
	maker_free(newer);
}

Test(reader_surgery, refuses_the_other_byte_order)
{
	/* every field of four bytes of the header turned round */
	memcpy(bytes, maker->bytes, maker->size);
	for (size_t at = 0; at < FRAME_HEADER_BYTES; at += 4)
		for (size_t i = 0; i < 4; i++)
			bytes[at + i] = maker->bytes[at + 3 - i];
	cr_assert(eq(int, maker_read_bytes(bytes, maker->frame_at[1]).code, -ERR_NOT_A_TRACE));
}

Test(reader_surgery, finds_the_next_frame_behind_bytes_taken_out_of_one)
{
	for (size_t gone = 1; gone < 40; gone += 13) {
		size_t cut = maker->frame_at[2] - gone - 3;
		memcpy(bytes, maker->bytes, cut);
		memcpy(bytes + cut, maker->bytes + cut + gone, maker->size - cut - gone);
		struct maker_result result = maker_read_bytes(bytes, maker->size - gone);
		cr_assert(eq(u64, result.health.damaged_frames, 1));
		cr_assert(eq(u64, result.health.events, 3 * PER_FRAME));
		cr_assert(eq(u64, result.health.missing, PER_FRAME));
		cr_assert(eq(u64, result.health.missing_frames, 0));
	}
}

Test(reader_surgery, passes_over_bytes_that_were_put_between)
{
	static const char junk[] = "not a frame \x54\x2a\x4d\x18 at all";
	add_all((unsigned[]){0, 1}, 2);
	memcpy(bytes + size, junk, sizeof(junk));
	size_t at = size;
	size += sizeof(junk);
	add_all((unsigned[]){2, 3}, 2);
	struct maker_result result = maker_read_bytes(bytes, size);
	cr_assert(eq(u64, result.health.damaged_frames, 1));
	cr_assert(eq(u64, result.health.damaged_bytes, sizeof(junk)));
	cr_assert(eq(u64, result.health.first_damage_offset, at));
	cr_assert(eq(u64, result.health.events, 4 * PER_FRAME));
	cr_assert(eq(u64, result.health.missing, 0));
}

Test(reader_surgery, reads_on_when_the_start_is_destroyed)
{
	memcpy(bytes, maker->bytes, maker->size);
	memset(bytes, 0xee, FRAME_HEADER_BYTES);
	struct maker_result result = maker_read_bytes(bytes, maker->size);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.first_damage_offset, 0));
	cr_assert(eq(u64, result.health.events, 3 * PER_FRAME));
	cr_assert(eq(u64, result.health.missing, PER_FRAME));
}

Test(reader_surgery, takes_in_once_what_was_appended_while_it_read)
{
	char path[64];
	struct reader *reader;
	struct item item;
	uint64_t events = 0;
	int fd = maker_file(maker->bytes, maker->frame_at[1], path, sizeof(path));
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	for (unsigned frame = 1; reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END;) {
		events += item.type == ITEM_EVENTS ? item.count : 0;
		if (events < frame * PER_FRAME || frame == FRAMES)
			continue;
		/* a writer that is always one frame ahead: the reader must not follow for ever */
		size_t from = maker->frame_at[frame], until = maker->frame_at[frame + 1];
		MAKER_CHECK(pwrite(fd, maker->bytes + from, until - from, (off_t)from) > 0);
		frame++;
	}
	cr_assert(eq(u64, events, 2 * PER_FRAME));
	cr_assert(eq(int, reader_health(reader)->clean_end, false));
	cr_assert(eq(u64, reader_health(reader)->missing, 0));
	cr_assert(eq(int, reader_health(reader)->truncated, false));
	reader_close(reader);
	(void)close(fd);
}

Test(reader_surgery, ends_cleanly_when_the_file_shrinks)
{
	for (unsigned frame = 1; frame < FRAMES; frame++) {
		char path[64];
		struct reader *reader;
		struct item item = {.type = ITEM_META};
		int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
		cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
		while (item.type != ITEM_EVENTS)
			cr_assert(eq(int, reader_next(reader, &item, NULL), 0));
		MAKER_CHECK(ftruncate(fd, (off_t)maker->frame_at[frame] + 70) == 0);
		while (item.type != ITEM_END)
			cr_assert(eq(int, reader_next(reader, &item, NULL), 0));
		cr_assert(eq(u64, reader_health(reader)->events, (uint64_t)frame * PER_FRAME));
		cr_assert(eq(int, reader_health(reader)->truncated, true));
		reader_close(reader);
		(void)close(fd);
	}
}
