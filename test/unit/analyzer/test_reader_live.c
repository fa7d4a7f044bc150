/* SPDX-License-Identifier: MIT */
/* Unfinished traces with live files made by hand: pending frame, rings, torn states. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "collector/codec/crc32c.h"
#include "collector/format/live.h"
#include "test/unit/analyzer/trace_result.h"

#define PER_THREAD      5u
#define RING_RECORDS    16u
#define PENDING_AT      ((sizeof(struct live_header) + 4095) / 4096 * 4096)
#define PENDING_ROOM    (64u << 10)
#define CHUNK_AT        (PENDING_AT + PENDING_ROOM)
#define RING_AT         (CHUNK_AT + LIVE_CHUNK_BYTES)
#define RING_BYTES      ((size_t)4096 + RING_RECORDS * sizeof(struct record))
#define LIVE_BYTES      (RING_AT + 2 * RING_BYTES)
#define TICKS_PER_NS    4u
#define RECORD_TICKS(n) ((MAKER_BEGIN + (n)*1000) * TICKS_PER_NS)

static struct maker *maker; /* two whole frames, no end; the encoder holds the pending one */
static uint8_t *live;
static struct live_header *header;
static char folder[64], trace_path[96], live_path[96];

static struct live_ring *ring(unsigned index)
{
	return (struct live_ring *)(live + RING_AT + index * RING_BYTES);
}

/* Records first to until of a thread as its ring has them, in ticks. */
static void fill_ring(unsigned index, uint32_t thread, uint64_t first, uint64_t until)
{
	struct record *records = (struct record *)(live + RING_AT + index * RING_BYTES + 4096);
	*ring(index) = (struct live_ring){.thread = thread,
		.tid = 100 + thread,
		.capacity = RING_RECORDS,
		.name = "ringthread",
		.head = until,
		.tail = first};
	for (uint64_t n = first; n < until; n++) {
		struct record record = maker_record(n);
		record.begin = RECORD_TICKS(n);
		record.end = RECORD_TICKS(n) + 300 * TICKS_PER_NS;
		records[n % RING_RECORDS] = record;
	}
}

static size_t add_definition(
	size_t at, uint16_t kind, uint32_t id, const void *bytes, uint32_t count)
{
	struct live_definition entry = {.bytes = count, .kind = kind, .id = id};
	memcpy(live + CHUNK_AT + at, &entry, sizeof(entry));
	memcpy(live + CHUNK_AT + at + sizeof(entry), bytes, count);
	return at + sizeof(entry) + ((count + 7) & ~7u);
}

static void make(void)
{
	maker = maker_new();
	maker_definitions(maker);
	for (unsigned i = 0; i < 2; i++) {
		maker_events(maker, 1, (uint64_t)i * PER_THREAD, PER_THREAD);
		maker_events(maker, 2, (uint64_t)i * PER_THREAD, PER_THREAD);
		maker_frame(maker);
	}
	live = aligned_alloc(64, LIVE_BYTES);
	MAKER_CHECK(live != NULL);
	memset(live, 0, LIVE_BYTES);
	header = (struct live_header *)live;
	*header = (struct live_header){.magic = LIVE_MAGIC,
		.version = LIVE_VERSION,
		.pid = MAKER_PID,
		.scale = {0, 0, (1ull << 32) / TICKS_PER_NS},
		.scale_generation = 2,
		.ring_count = 2,
		.chunk_count = 1,
		.pending_sequence = 2,
		.pending_offset = PENDING_AT,
		.pending_capacity = PENDING_ROOM};
	header->chunk_offset[0] = CHUNK_AT;
	header->ring_offset[0] = RING_AT;
	header->ring_offset[1] = RING_AT + RING_BYTES;
	(void)snprintf(folder, sizeof(folder), "/tmp/test_reader_live.XXXXXX");
	MAKER_CHECK(mkdtemp(folder) != NULL);
	(void)snprintf(trace_path, sizeof(trace_path), "%s/host-1.msgpack.zst", folder);
	(void)snprintf(live_path, sizeof(live_path), "%s/host-1.live", folder);
}

static void release(void)
{
	(void)unlink(trace_path);
	(void)unlink(live_path);
	(void)rmdir(folder);
	free(live);
	maker_free(maker);
}

TestSuite(reader_live, .init = make, .fini = release);

static void store(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	MAKER_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
}

/* The pending frame: events PER_THREAD * 2 to PER_THREAD * 2 + count of thread 1. */
static void make_pending(unsigned count)
{
	maker_events(maker, 1, 2 * PER_THREAD, count);
	memcpy(live + PENDING_AT, maker->raw, encoder_size(maker->encoder));
	header->pending_bytes = encoder_size(maker->encoder);
}

static struct maker_result read_both(void)
{
	store(trace_path, maker->bytes, maker->size);
	store(live_path, live, LIVE_BYTES);
	return maker_read(trace_path);
}

Test(reader_live, takes_pending_frame_and_rings_over)
{
	make_pending(3);
	fill_ring(0, 1, 13, 17);
	fill_ring(1, 2, 10, 12);
	struct maker_result result = read_both();
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.events, 20 + 3 + 4 + 2));
	cr_assert(eq(u64, result.health.recovered, 9));
	cr_assert(eq(u64, result.health.missing, 0));
	cr_assert(eq(int, result.health.clean_end, false));
	cr_assert(eq(int, result.health.truncated, false));
}

Test(reader_live, gives_no_record_twice)
{
	/* killed between the pending frame and the move of the ring's tail */
	make_pending(3);
	fill_ring(0, 1, 8, 15);
	struct maker_result result = read_both();
	cr_assert(eq(u64, result.health.events, 20 + 3 + 2));
	cr_assert(eq(u64, result.health.missing, 0));
}

Test(reader_live, leaves_out_a_pending_frame_that_was_written)
{
	make_pending(3);
	maker_frame(maker);
	fill_ring(0, 1, 13, 14);
	struct maker_result result = read_both();
	cr_assert(eq(u64, result.health.events, 20 + 3 + 1));
	cr_assert(eq(u64, result.health.recovered, 1));
	cr_assert(eq(u64, result.health.duplicate_frames, 0));
}

Test(reader_live, makes_up_for_a_frame_that_was_cut_off)
{
	make_pending(3);
	maker_frame(maker);
	maker->size -= 5;
	struct maker_result result = read_both();
	cr_assert(eq(u64, result.health.events, 23));
	cr_assert(eq(u64, result.health.missing, 0));
	cr_assert(eq(u64, result.health.missing_frames, 0));
	cr_assert(eq(int, result.health.truncated, true));
}

Test(reader_live, turns_ticks_into_nanoseconds_and_knows_the_ids)
{
	struct live_place place = {.file = 20,
		.function = 21,
		.line = 77,
		.user_file = 20,
		.user_function = 21,
		.user_line = 77,
		.library_file = 21,
		.library_line = 5};
	size_t at = add_definition(0, LIVE_NAME, 20, "late.py", 7);
	at = add_definition(at, 0, 22, "torn", 4);
	at = add_definition(at, LIVE_NAME, 21, "step", 4);
	at = add_definition(at, LIVE_PLACE, 9, &place, sizeof(place));
	/* as the first traces had it */
	at = add_definition(at, LIVE_PLACE, 10, &place, offsetof(struct live_place, library_file));
	(void)add_definition(at, LIVE_CALL, 5, "cudart:cudaFree", 15);
	fill_ring(0, 7, 0, 1);
	struct record *record = (struct record *)(live + RING_AT + 4096);
	record->place = 9;
	record->call = 5;
	store(trace_path, maker->bytes, maker->size);
	store(live_path, live, LIVE_BYTES);
	struct reader *reader;
	struct item item, last = {.type = ITEM_END};
	uint64_t begin = 0, end = 0;
	cr_assert(eq(int, reader_open(trace_path, &reader, NULL), 0));
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END) {
		last = item;
		begin = item.type == ITEM_EVENTS ? item.records[0].begin : 0;
		end = item.type == ITEM_EVENTS ? item.records[0].end : 0;
	}
	cr_assert(eq(uint, last.type, ITEM_EVENTS));
	cr_assert(eq(u64, last.thread, 7));
	cr_assert(eq(u64, begin, MAKER_BEGIN));
	cr_assert(eq(u64, end, MAKER_BEGIN + 300));
	cr_assert(eq(str, (char *)reader_text(reader, 20), "late.py"));
	cr_assert(eq(str, (char *)reader_text(reader, 22), ""));
	cr_assert(eq(str, (char *)reader_call(reader, 5), "cudaFree"));
	cr_assert(eq(u64, reader_place(reader, 9)->line, 77));
	cr_assert(eq(u64, reader_place(reader, 9)->library_file, 21));
	cr_assert(eq(u64, reader_place(reader, 9)->library_line, 5));
	cr_assert(eq(u64, reader_place(reader, 10)->user_line, 77));
	cr_assert(eq(u64, reader_place(reader, 10)->library_line, 0));
	cr_assert(eq(str, (char *)reader_thread(reader, 7)->name, "ringthread"));
	reader_close(reader);
}

Test(reader_live, counts_losses_that_were_not_written_yet)
{
	fill_ring(0, 1, 10, 11);
	ring(0)->lost = 9;
	ring(0)->lost_taken = 2;
	struct maker_result result = read_both();
	cr_assert(eq(u64, result.health.lost, 7));
}

Test(reader_live, tells_of_events_that_found_no_ring)
{
	header->unowned = (struct live_unowned){.count = 5, .last_ticks = RECORD_TICKS(12)};
	fill_ring(0, 1, 10, 11);
	struct maker_result result = read_both();
	cr_assert(eq(u64, result.health.events, 20 + 1));
	cr_assert(eq(u64, result.health.lost, 5));
	cr_assert(eq(u64, result.health.recovered, 1));
}

Test(reader_live, gives_the_oldest_that_a_ring_still_has)
{
	/* a frame of thread 1 is lost with its 5 events; the ring still holds them */
	maker->size = maker->frame_at[1];
	header->pending_sequence = 1;
	fill_ring(0, 1, 4, 14);
	ring(0)->tail = 12;
	struct maker_result result = read_both();
	cr_assert(eq(u64, result.health.events, 10 + 9));
	cr_assert(eq(u64, result.health.missing, 0));
}

Test(reader_live, works_without_a_trace_file)
{
	make_pending(3);
	header->pending_sequence = 0;
	store(live_path, live, LIVE_BYTES);
	struct maker_result result = maker_read(live_path);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.events, 3));
	store(trace_path, "", 0);
	result = maker_read(trace_path);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.events, 3));
}

Test(reader_live, follows_a_pointer_file_but_no_link)
{
	char pointer[256], elsewhere[128], link[128];
	(void)snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", folder);
	(void)snprintf(link, sizeof(link), "%s/link", folder);
	fill_ring(0, 1, 10, 12);
	store(trace_path, maker->bytes, maker->size);
	store(elsewhere, live, LIVE_BYTES);
	(void)snprintf(pointer, sizeof(pointer), LIVE_POINTER_TAG "%s\n", elsewhere);
	store(live_path, pointer, strlen(pointer));
	cr_assert(eq(u64, maker_read(trace_path).health.recovered, 2));
	MAKER_CHECK(symlink(elsewhere, link) == 0);
	(void)snprintf(pointer, sizeof(pointer), LIVE_POINTER_TAG "%s\n", link);
	store(live_path, pointer, strlen(pointer));
	struct maker_result result = maker_read(trace_path);
	(void)unlink(link);
	(void)unlink(elsewhere);
	cr_assert(eq(int, result.code, 0));
	cr_assert(eq(u64, result.health.recovered, 0));
}

Test(reader_live, leaves_out_the_live_file_of_another_process_or_version)
{
	fill_ring(0, 1, 10, 12);
	header->pid = MAKER_PID + 1;
	cr_assert(eq(u64, read_both().health.recovered, 0));
	header->pid = MAKER_PID;
	header->version = LIVE_VERSION + 1;
	cr_assert(eq(u64, read_both().health.recovered, 0));
	header->version = LIVE_VERSION;
	header->magic ^= 1;
	cr_assert(eq(u64, read_both().health.recovered, 0));
}

/* A live file as a recorder makes it, with the checks of its parts. */
static void make_checked(void)
{
	make_pending(3);
	fill_ring(0, 1, 2 * PER_THREAD + 3, 2 * PER_THREAD + 5);
	ring(0)->check = crc32c_part(0, RING_RECORDS, NULL, 0);
	(void)add_definition(0, LIVE_NAME, 20, "late.py", 7);
	struct live_definition *entry = (struct live_definition *)(live + CHUNK_AT);
	entry->check = crc32c_part(LIVE_NAME, 20, entry + 1, 7);
	header->pending_check =
		header->pending_bytes << 32 | crc32c(0, live + PENDING_AT, header->pending_bytes);
}

Test(reader_live, tells_what_was_damaged)
{
	static const size_t places[] = {PENDING_AT + 20,
		CHUNK_AT + sizeof(struct live_definition) + 2, RING_AT + 8, CHUNK_AT + 8};
	make_checked();
	struct maker_result whole = read_both();
	cr_expect(eq(u64, whole.health.damaged_frames, 0));
	cr_expect(eq(u64, whole.health.recovered, 5));
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		live[places[i]] ^= 4;
		struct maker_result result = read_both();
		cr_expect(eq(u64, result.health.damaged_frames, 1), "place %u", i);
		live[places[i]] ^= 4;
	}
}

Test(reader_live, survives_any_damage_and_any_length, .timeout = 120)
{
	make_pending(3);
	fill_ring(0, 1, 13, 15);
	fill_ring(1, 2, 10, 12);
	(void)add_definition(0, LIVE_NAME, 20, "late.py", 7);
	store(trace_path, maker->bytes, maker->size);
	uint64_t seed = 88172645463325252ull;
	static const size_t areas[][2] = {{0, 112}, {PENDING_AT, 300}, {CHUNK_AT, 64},
		{RING_AT, 256}, {offsetof(struct live_header, ring_offset), 64}};
	for (unsigned round = 0; round < 1500; round++) {
		const size_t *area = areas[round % 5];
		uint8_t saved[512];
		memcpy(saved, live + area[0], area[1]);
		for (unsigned i = 0; i < 3; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			live[area[0] + seed % area[1]] = (uint8_t)(seed >> 32);
		}
		size_t length = round % 3 == 0 ? seed % LIVE_BYTES : LIVE_BYTES;
		store(live_path, live, length);
		struct maker_result result = maker_read(trace_path);
		cr_assert(eq(int, result.code, 0));
		cr_assert(ge(u64, result.health.events, 20));
		cr_assert(le(u64, result.health.recovered, 2 * RING_RECORDS + 3));
		memcpy(live + area[0], saved, area[1]);
	}
}
