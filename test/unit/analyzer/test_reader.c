/* SPDX-License-Identifier: MIT */
/* Whole traces, traces cut at every byte, and every single bit flipped. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "test/unit/analyzer/trace_result.h"

/* True when the reader says that something is wrong. */
static bool is_named(const struct maker_result *result)
{
	const struct reader_health *health = &result->health;
	return result->code < 0 || health->damaged_frames > 0 || health->missing_frames > 0 ||
	       health->missing > 0 || health->truncated || health->newer || !health->clean_end ||
	       health->duplicate_frames > 0 || health->foreign_frames > 0;
}

Test(reader, gives_every_event_of_a_whole_trace)
{
	struct maker *maker = maker_trace(3, 10);
	struct maker_result result = maker_read_bytes(maker->bytes, maker->size);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.events, 60));
	cr_assert(eq(u64, result.health.missing, 0));
	cr_assert(eq(int, result.health.clean_end, true));
	cr_assert(eq(str, result.health.end_reason, "exit"));
	cr_assert(not(is_named(&result)));
	maker_free(maker);
}

Test(reader, knows_what_ids_mean)
{
	struct maker *maker = maker_trace(1, 4);
	char path[64];
	int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
	struct reader *reader;
	struct item item;
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	cr_assert(eq(ptr, (void *)reader_run(reader), NULL));
	do
		cr_assert(eq(int, reader_next(reader, &item, NULL), 0));
	while (item.type != ITEM_END);
	cr_assert(eq(str, (char *)reader_text(reader, 2), "kernel_b"));
	cr_assert(eq(str, (char *)reader_text(reader, 99), ""));
	cr_assert(eq(str, (char *)reader_call(reader, 1), "cudaLaunchKernel"));
	cr_assert(eq(str, (char *)reader_call(reader, 2), ""));
	cr_assert(eq(u64, reader_place(reader, 2)->line, 12));
	cr_assert(eq(ptr, (void *)reader_place(reader, 3), NULL));
	cr_assert(eq(u64, reader_thread(reader, 2)->tid, 102));
	cr_assert(eq(str, (char *)reader_run(reader)->program, "train.py"));
	cr_assert(eq(i64, reader_run(reader)->rank, 3));
	reader_close(reader);
	(void)close(fd);
	maker_free(maker);
}

Test(reader, reports_every_whole_frame_before_any_cut, .timeout = 120)
{
	struct maker *maker = maker_trace(4, 6);
	for (size_t cut = 0; cut < maker->size; cut++) {
		struct maker_result result = maker_read_bytes(maker->bytes, cut);
		uint64_t whole = 0;
		size_t last = 0;
		for (unsigned i = 0; i < maker->frames && maker->frame_at[i + 1] <= cut; i++) {
			whole += maker->frame_events[i];
			last = maker->frame_at[i + 1];
		}
		if (whole == 0) {
			cr_assert(eq(int, result.code, -ERR_TRUNCATED), "cut at %zu", cut);
			continue;
		}
		cr_assert(eq(int, result.code, 0), "cut at %zu", cut);
		cr_assert(eq(u64, result.health.events, whole), "cut at %zu", cut);
		cr_assert(eq(int, result.health.clean_end, false), "cut at %zu", cut);
		cr_assert(eq(int, result.health.truncated, cut > last), "cut at %zu", cut);
		cr_assert(eq(u64, result.health.damaged_frames, 0), "cut at %zu", cut);
	}
	maker_free(maker);
}

Test(reader, counts_the_events_of_a_frame_that_is_cut_off)
{
	struct maker *maker = maker_trace(3, 6);
	struct maker_result result = maker_read_bytes(maker->bytes, maker->size - 1);
	cr_assert(eq(u64, result.health.events, 24));
	cr_assert(eq(u64, result.health.missing, 12));
	maker_free(maker);
}

Test(reader, names_or_survives_every_flipped_bit, .timeout = 300)
{
	struct maker *maker = maker_trace(3, 6);
	char path[64];
	int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
	struct maker_result right = maker_read(path);
	unsigned silent = 0, same = 0;
	for (size_t bit = 0; bit < maker->size * 8; bit++) {
		uint8_t byte = maker->bytes[bit / 8] ^ (uint8_t)(1u << bit % 8);
		MAKER_CHECK(pwrite(fd, &byte, 1, (off_t)(bit / 8)) == 1);
		struct maker_result result = maker_read(path);
		bool equal = result.code == 0 && result.digest == right.digest &&
			     result.metas == right.metas;
		same += equal;
		if (!equal && !is_named(&result))
			silent++;
		/* the count is exact, unless the header or the end that would tell it is gone */
		if (result.code == 0 && !equal && bit / 8 < maker->frame_at[2])
			cr_assert(eq(u64, result.health.events + result.health.missing, 36),
				"bit %zu", bit);
		MAKER_CHECK(pwrite(fd, &maker->bytes[bit / 8], 1, (off_t)(bit / 8)) == 1);
	}
	cr_assert(eq(uint, silent, 0));
	cr_assert(lt(uint, same, (unsigned)(maker->size * 8 / 20)));
	(void)close(fd);
	maker_free(maker);
}

Test(reader, refuses_what_is_no_trace)
{
	static const char text[] = "import torch\nprint(torch.__version__)\n";
	struct err_at at = {0};
	struct reader *reader = NULL;
	char path[64];
	cr_assert(eq(int, maker_read_bytes(text, sizeof(text)).code, -ERR_NOT_A_TRACE));
	cr_assert(eq(int, maker_read_bytes("", 0).code, -ERR_TRUNCATED));
	cr_assert(eq(int, maker_read_bytes("T", 1).code, -ERR_TRUNCATED));
	cr_assert(eq(int, maker_read_bytes("\0\0\0\0", 4).code, -ERR_NOT_A_TRACE));
	cr_assert(eq(int, maker_read("/nonexistent/trace").code, -ENOENT));
	cr_assert(eq(int, maker_read("/").code, -EISDIR));
	cr_assert(eq(int, maker_read("/dev/null").code, -ERR_NOT_A_TRACE));
	int fd = maker_file("", 0, path, sizeof(path));
	cr_assert(eq(int, reader_open(path, &reader, &at), -ERR_TRUNCATED));
	cr_assert(eq(str, (char *)at.what, "empty file"));
	cr_assert(eq(ptr, reader, NULL));
	(void)close(fd);
}

Test(reader, refuses_a_zstd_file_of_somebody_else)
{
	/* a skippable frame and a frame, both valid, neither ours */
	static const uint8_t bytes[] = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4, 0x28, 0xb5,
		0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00};
	cr_assert(eq(int, maker_read_bytes(bytes, sizeof(bytes)).code, -ERR_NOT_A_TRACE));
}

/* A state of before the window holds in it; what comes behind does not matter. */
Test(reader, delivers_states_of_before_the_window)
{
	struct maker *maker = maker_new();
	struct record records[2] = {maker_record(0), maker_record(9000)};
	char path[64];
	struct reader *reader;
	struct item item;
	unsigned count = 0;
	records[0].kind = records[1].kind = RECORD_SOURCE_STATE;
	maker_definitions(maker);
	maker_events(maker, 1, 0, 5);
	cr_assert(eq(int, encoder_add_events(maker->encoder, 2, 0, records, 2), 0));
	maker_frame(maker);
	maker_events(maker, 1, 5, 5);
	maker_end(maker);
	maker_frame(maker);
	int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	reader_set_window(reader, MAKER_BEGIN + 8000, MAKER_BEGIN + 9000);
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		for (unsigned i = 0; item.type == ITEM_EVENTS && i < item.count; i++)
			if (item.records[i].kind == RECORD_SOURCE_STATE) {
				cr_expect(eq(u64, item.records[i].begin, MAKER_BEGIN));
				count++;
			}
	cr_expect(eq(u32, count, 1));
	reader_close(reader);
	(void)close(fd);
	maker_free(maker);
}

Test(reader, delivers_only_what_overlaps_the_window)
{
	struct maker *maker = maker_trace(4, 5); /* frame i holds events 10 i to 10 i + 9 */
	char path[64];
	int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
	struct reader *reader;
	struct item item;
	uint64_t low = UINT64_MAX, high = 0;
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	reader_set_window(reader, MAKER_BEGIN + 12100, MAKER_BEGIN + 17000);
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		for (unsigned i = 0; item.type == ITEM_EVENTS && i < item.count; i++) {
			uint64_t n = (item.records[i].begin - MAKER_BEGIN) / 1000;
			low = n < low ? n : low;
			high = n > high ? n : high;
		}
	cr_assert(eq(u64, low, 12));
	cr_assert(eq(u64, high, 17));
	cr_assert(eq(u64, reader_health(reader)->events, 6));
	cr_assert(eq(u64, reader_health(reader)->missing, 0));
	cr_assert(eq(u64, reader_health(reader)->missing_frames, 0));
	cr_assert(eq(str, (char *)reader_text(reader, 1), "kernel_a"));
	reader_close(reader);
	(void)close(fd);
	maker_free(maker);
}
