/* SPDX-License-Identifier: MIT */
/*
 * The writer by itself: when it tries again after a failure, what it counts as lost and under which
 * cause, and what a frame that could not be written leaves behind. Times are given by hand.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/write/writer.h"
#include "test/unit/analyzer/trace_file.h"
#include "test/unit/collector/faulty_calls.h"

#define MS    1000000ull
#define START (1000 * MS)

static char folder[64], stem[96], path[128];
static struct live live;
static struct sink sink;
static struct writer writer;
static struct ring *ring;

static void begin(uint64_t max_bytes)
{
	const struct writer_options options = {.compression = 1, .max_bytes = max_bytes};
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-writer-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(stem, sizeof(stem), "%s/trace", folder);
	(void)snprintf(path, sizeof(path), "%s.msgpack.zst", stem);
	faulty = (struct faulty){0};
	clock_init(false);
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, live_open(&live, stem, LIVE_AUTO), 0));
	cr_assert(eq(int, writer_init(&writer, &live, &sink, &options), 0));
	ring = ring_take(&live, 4096 * sizeof(struct record));
	cr_assert(ring == ring_at(0));
	ring->thread = 1;
}

static void finish(void)
{
	live_remove(&live);
	(void)unlink(path);
	(void)rmdir(folder);
}

TestSuite(writer, .fini = finish, .timeout = 60);

/* count events, from number first on, one every microsecond. */
static int add_events(uint64_t first, unsigned count, uint64_t now_ns)
{
	static struct record records[CODEC_BLOCK_LIMIT];
	for (unsigned i = 0; i < count; i++)
		records[i] = (struct record){.kind = RECORD_LAUNCH,
			.begin = START + 1000 * (first + i),
			.end = START + 1000 * (first + i) + 500,
			.stream = 7,
			.a = (first + i) * 0x9e3779b97f4a7c15ull};
	return writer_events(&writer, 0, first, records, count, now_ns);
}

/* Every call of the sink from now on fails, or none. */
static void disk_is_full(bool full)
{
	faulty = (struct faulty){
		.fail_at = full ? 1 : 0, .fail_count = 1000000, .fail_code = ENOSPC};
}

static bool tries(uint64_t now_ns)
{
	unsigned before = faulty.calls;
	cr_assert(eq(int, writer_flush(&writer, now_ns), -EAGAIN));
	return faulty.calls > before;
}

Test(writer, pauses_double_from_a_tenth_of_a_second_to_five)
{
	static const uint64_t pauses_ms[] = {100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000};
	uint64_t now_ns = START;
	begin(0);
	cr_assert(eq(int, add_events(0, 10, now_ns), 10));
	disk_is_full(true);
	cr_assert(tries(now_ns));
	for (size_t i = 0; i < sizeof(pauses_ms) / sizeof(pauses_ms[0]); i++) {
		cr_expect(not(tries(now_ns + 1)), "pause %zu", i);
		cr_expect(not(tries(now_ns + pauses_ms[i] * MS - 1)), "pause %zu", i);
		now_ns += pauses_ms[i] * MS;
		cr_expect(tries(now_ns), "pause %zu", i);
	}
	/* once it has worked the first pause is short again */
	disk_is_full(false);
	now_ns += 5000 * MS;
	cr_assert(eq(int, writer_flush(&writer, now_ns), 0));
	cr_assert(eq(int, add_events(10, 10, now_ns), 10));
	disk_is_full(true);
	cr_assert(tries(now_ns));
	cr_expect(not(tries(now_ns + 100 * MS - 1)));
	cr_expect(tries(now_ns + 100 * MS));
}

Test(writer, an_empty_frame_is_not_written)
{
	begin(0);
	disk_is_full(true);
	cr_expect(eq(int, writer_flush(&writer, START), 0));
	cr_expect(eq(uint, faulty.calls, 0));
}

Test(writer, a_frame_that_failed_keeps_its_number_and_content)
{
	begin(0);
	cr_assert(eq(int, add_events(0, 10, START), 10));
	size_t size = encoder_size(writer.encoder);
	disk_is_full(true);
	cr_assert(tries(START));
	cr_expect(eq(u32, writer.sequence, 0));
	cr_expect(eq(sz, encoder_size(writer.encoder), size));
	cr_expect(eq(u64, live.header->pending_bytes, size));
	cr_expect(eq(u64, ring->pending.count, 10));
	cr_expect(eq(u64, writer.events, 0));
	disk_is_full(false);
	cr_assert(eq(int, writer_flush(&writer, START + 100 * MS), 0));
	cr_expect(eq(u32, writer.sequence, 1));
	cr_expect(eq(u32, live.header->pending_sequence, 1));
	cr_expect(eq(u64, live.header->pending_bytes, 0));
	cr_expect(eq(sz, encoder_size(writer.encoder), 0));
	cr_expect(eq(u64, ring->pending.count, 0));
	cr_expect(eq(u64, writer.events, 10));
}

Test(writer, what_does_not_fit_any_more_goes_into_the_next_frame)
{
	begin(0);
	uint64_t events = 0;
	while (writer.sequence == 0) {
		cr_assert(eq(int, add_events(events, CODEC_BLOCK_LIMIT, START), CODEC_BLOCK_LIMIT));
		events += CODEC_BLOCK_LIMIT;
		cr_assert(lt(u64, events, 1000000));
	}
	/* the block that made it overflow, whole */
	cr_expect(eq(u64, writer.events, events - CODEC_BLOCK_LIMIT));
	cr_expect(eq(u64, encoder_events(writer.encoder), CODEC_BLOCK_LIMIT));
	cr_expect(eq(u64, ring->pending.count, CODEC_BLOCK_LIMIT));
	/* the same for a map */
	struct meta meta = {.kind = META_COUNT, .u.count = {.name = "count", .value = 1}};
	for (unsigned i = 0; writer.sequence == 1; i++) {
		cr_assert(lt(uint, i, 1000000));
		cr_assert(eq(int, writer_meta(&writer, &meta, START), 0));
	}
	cr_expect(gt(sz, encoder_size(writer.encoder), 0));
}

Test(writer, causes_of_losses)
{
	static const struct {
		int code;
		enum loss_cause cause;
	} cases[] = {
		{-EAGAIN, LOSS_DISK_FULL},
		{-ERR_TOO_LARGE, LOSS_SIZE_LIMIT},
		{-ENOMEM, LOSS_NO_MEMORY},
		{-ENOSPC, LOSS_NO_MEMORY},
	};
	const struct record records[] = {
		{.begin = 100, .end = 150}, {.begin = 200, .end = 250}, {.begin = 300, .end = 350}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ring_gap gaps[LOSS_CAUSE_COUNT] = {0};
		writer_count_refused(gaps, records, 3, cases[i].code);
		for (unsigned cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
			cr_expect(eq(u64, gaps[cause].count, cause == cases[i].cause ? 3 : 0),
				"code %d", cases[i].code);
		cr_expect(eq(u64, gaps[cases[i].cause].first_ns, 100));
		cr_expect(eq(u64, gaps[cases[i].cause].last_ns, 350));
	}
	begin(0);
}

Test(writer, a_gap_reaches_from_its_first_to_its_last)
{
	struct ring_gap gap = {0};
	ring_gap_add(&gap, 0, 1, 999);
	cr_expect(eq(u64, gap.count, 0));
	cr_expect(eq(u64, gap.last_ns, 0));
	ring_gap_add(&gap, 2, 100, 200);
	ring_gap_add(&gap, 3, 150, 180);
	cr_expect(eq(u64, gap.first_ns, 100));
	cr_expect(eq(u64, gap.last_ns, 200));
	ring_gap_add(&gap, 1, 90, 210);
	cr_expect(eq(u64, gap.count, 6));
	cr_expect(eq(u64, gap.first_ns, 90));
	cr_expect(eq(u64, gap.last_ns, 210));
	begin(0);
}

static void say_nothing(struct writer *unused, uint64_t now_ns)
{
	(void)unused;
	(void)now_ns;
}

static void see(struct trace_file *file, const struct item *item, bool is_live)
{
	uint64_t *lost = file->context;
	(void)is_live;
	if (item->type == ITEM_META && item->meta.kind == META_LOST)
		*lost += item->meta.u.lost.count;
}

static struct trace_file file;

static uint64_t lost_in_file(void)
{
	uint64_t lost = 0;
	file = (struct trace_file){.item = see, .context = &lost};
	live_remove(&live);
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	return lost;
}

/* What a frame said about losses is lost with it, and said again by the last one. */
Test(writer, losses_are_told_once_and_again_when_that_was_not_heard)
{
	begin(0);
	ring_gap_add(&ring->gaps[LOSS_RING_FULL], 7, START, START + 10);
	writer_tell_losses(&writer, START);
	cr_expect(eq(u64, writer.lost, 7));
	cr_expect(eq(u64, ring->gaps[LOSS_RING_FULL].count, 0));
	writer_tell_losses(&writer, START);
	cr_expect(eq(u64, writer.lost, 7));
	cr_assert(eq(int, add_events(0, 10, START), 10));
	/* only the reserving of room for this frame fails, the last one fits */
	faulty = (struct faulty){.fail_at = 2, .fail_count = 1, .fail_code = ENOSPC};
	cr_assert(eq(int, writer_finish(&writer, "exit", START, say_nothing), 0));
	cr_expect(eq(u64, writer.lost, 17));
	cr_expect(eq(u64, lost_in_file(), 17));
	cr_expect(eq(u64, file.end.lost, 17));
	cr_expect(eq(u64, file.end.events, 0));
	cr_expect(eq(u64, file.events, 0));
}

Test(writer, the_size_limit_leaves_room_for_the_end)
{
	const uint64_t limit = 200000;
	begin(limit);
	uint64_t events = 0;
	while (!writer.over_limit) {
		cr_assert(lt(u64, events, 1000000));
		int taken = add_events(events, CODEC_BLOCK_LIMIT, START);
		if (taken < 0)
			break;
		events += (uint64_t)taken;
		(void)writer_flush(&writer, START);
	}
	cr_expect(le(u64, sink.bytes, limit - (64u << 10)));
	cr_expect(eq(int, writer_flush(&writer, START), -ERR_TOO_LARGE));
	cr_assert(eq(int, writer_finish(&writer, "size limit", START, say_nothing), 0));
	cr_expect(le(u64, sink.bytes, limit));
	uint64_t lost = lost_in_file();
	cr_expect(gt(u64, lost, 0));
	cr_expect(eq(u64, file.events + lost, events));
	cr_expect(file.has_end);
}

/* The limit is for all but the closing frame, which is always written. */
Test(writer, the_end_is_written_beyond_any_limit)
{
	begin(1);
	cr_assert(eq(int, add_events(0, 10, START), 10));
	cr_assert(eq(int, writer_flush(&writer, START), -ERR_TOO_LARGE));
	cr_assert(eq(int, writer_finish(&writer, "size limit", START, say_nothing), 0));
	cr_expect(eq(u64, lost_in_file(), 10));
	cr_expect(file.has_end);
}

Test(writer, what_an_owner_leaves_is_told_without_a_thread)
{
	begin(0);
	ring_gap_add(&ring->gaps[LOSS_RING_FULL], 3, START, START + 1);
	cr_assert(eq(int, add_events(0, 10, START), 10));
	writer_disown(&writer, ring);
	cr_expect(eq(u64, ring->pending.count, 0));
	cr_expect(eq(u64, writer.unowned_pending.count, 10));
	cr_expect(eq(u64, ring->gaps[LOSS_RING_FULL].count, 0));
	cr_expect(eq(u64, writer.unowned[LOSS_RING_FULL].count, 3));
	cr_assert(eq(int, writer_flush(&writer, START), 0));
	cr_expect(eq(u64, writer.unowned_pending.count, 0));
}

/* A loss for which the frame has no room stays untold, for readers of the live file too. */
Test(writer, a_loss_that_finds_no_room_is_not_taken)
{
	struct meta meta = {.kind = META_COUNT, .u.count = {.name = "", .value = 0}};
	uint64_t events = 0;
	begin(0);
	disk_is_full(true);
	while (add_events(events, 64, START) > 0)
		cr_assert(lt(u64, events += 64, 1000000));
	for (unsigned i = 0; writer_meta(&writer, &meta, START) == 0; i++)
		cr_assert(lt(uint, i, 1000000));
	ring->lost_told = 5;
	ring_gap_add(&ring->gaps[LOSS_RING_FULL], 5, START, START + 1);
	writer_tell_losses(&writer, START);
	cr_expect(eq(u64, ring->gaps[LOSS_RING_FULL].count, 5));
	cr_expect(eq(u64, ring->shared->lost_taken, 0));
	cr_expect(eq(u64, writer.lost, 0));
	disk_is_full(false);
	cr_assert(eq(int, writer_flush(&writer, START + 5000 * MS), 0));
	writer_tell_losses(&writer, START);
	cr_expect(eq(u64, ring->gaps[LOSS_RING_FULL].count, 0));
	cr_expect(eq(u64, ring->shared->lost_taken, 5));
	cr_expect(eq(u64, writer.lost, 5));
}
