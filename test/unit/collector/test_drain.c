/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <unistd.h>

#include "collector/buffer/define.h"
#include "collector/drain/passes.h"
#include "test/unit/analyzer/trace_file.h"
#include "test/unit/collector/faulty_calls.h"

#define RING_BYTES (4096 * sizeof(struct record))

static char folder[64], stem[96], path[128];
static struct live live;
static struct sink sink;
static struct passes passes;
static struct ring *ring;
static unsigned ticks_called;

static void no_wake(void)
{
}

static void count_tick(uint64_t now_ns)
{
	ticks_called += now_ns != 0;
}

static const struct collector_call calls[] = {{NULL, NULL}, {"cudaMemcpy", "cudart"}};
static const struct collector_options options = {
	.ring_bytes = RING_BYTES, .role = "main", .rank = 3, .world_size = 8, .tick = count_tick};

static void begin(uint64_t max_bytes)
{
	struct clock_triple first;
	struct writer_options writer = {
		.compression = 1, .max_bytes = max_bytes, .calls = calls, .call_count = 2};
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-drain-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(stem, sizeof(stem), "%s/trace", folder);
	(void)snprintf(path, sizeof(path), "%s.msgpack.zst", stem);
	clock_init(false);
	clock_read_triple(&first);
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, live_open(&live, stem, LIVE_AUTO), 0));
	define_publish(&live);
	passes.options = &options;
	cr_assert(eq(int, passes_init(&passes, &writer, &live, &sink, &first), 0));
	ring = ring_take(&live, RING_BYTES, no_wake);
}

static void tear_down(void)
{
	live_remove(&live);
	(void)unlink(path);
	(void)rmdir(folder);
}

TestSuite(drain, .fini = tear_down, .timeout = 60);

static void push(uint64_t from, uint64_t count)
{
	struct live_ring *shared = ring->shared;
	for (uint64_t i = from; i < from + count; i++) {
		uint64_t now = clock_ticks();
		uint64_t tail = __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE);
		if (shared->head - tail >= shared->capacity) {
			ring_count_loss(shared, now);
			continue;
		}
		ring->records[shared->head & (shared->capacity - 1)] = (struct record){.begin = now,
			.end = now + 500,
			.kind = RECORD_LAUNCH,
			.call = 1,
			.name = define_name("kernel", 6),
			.place = define_place(&(struct live_place){
				.file = define_name("train.py", 8), .line = 7}),
			.a = i,
			.stream = 7};
		__atomic_store_n(&shared->head, shared->head + 1, __ATOMIC_RELEASE);
	}
}

struct seen {
	uint64_t next; /* value of a that must come */
	uint64_t launches, clocks, runs, threads, names, places, calls, sources;
	uint64_t lost[LOSS_CAUSE_COUNT];
	uint64_t last_end;
};

static void see_state(struct seen *seen, const struct meta *meta)
{
	static const char *const causes[] = {
		"ring full", "disk full", "size limit", "no memory", "device records"};
	seen->clocks += meta->kind == META_CLOCK;
	seen->runs += meta->kind == META_RUN;
	seen->threads += meta->kind == META_THREAD;
	seen->names += meta->kind == META_NAME;
	seen->places += meta->kind == META_PLACE;
	seen->calls += meta->kind == META_CALL;
	seen->sources += meta->kind == META_SOURCE;
	for (unsigned i = 0; meta->kind == META_LOST && i < LOSS_CAUSE_COUNT; i++)
		if (strcmp(meta->u.lost.cause, causes[i]) == 0) {
			seen->lost[i] += meta->u.lost.count;
			cr_assert(le(u64, meta->u.lost.first_ns, meta->u.lost.last_ns));
			cr_assert(ne(u64, meta->u.lost.first_ns, 0));
		}
	if (meta->kind == META_CALL)
		cr_assert(strcmp(meta->u.call.name, "cudaMemcpy") == 0);
}

static void see(struct trace_file *file, const struct item *item, bool is_live)
{
	struct seen *seen = file->context;
	if (item->type == ITEM_META) {
		see_state(seen, &item->meta);
		return;
	}
	for (unsigned i = 0; i < item->count; i++) {
		const struct record *record = &item->records[i];
		if (record->kind != RECORD_LAUNCH)
			continue;
		cr_assert(ge(u64, record->a, seen->next));
		cr_assert(eq(u64, record->stream, 7));
		if (!is_live) /* the ring holds ticks, the file nanoseconds */
			cr_assert(ge(u64, record->end, seen->last_end));
		seen->last_end = record->end;
		seen->next = record->a + 1;
		seen->launches++;
	}
}

static struct trace_file file;

static struct seen read_back(void)
{
	struct seen seen = {0};
	file = (struct trace_file){.item = see, .context = &seen};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_assert(eq(u64, file.duplicates, 0));
	return seen;
}

Test(drain, writes_events_with_their_definitions_and_an_end)
{
	begin(0);
	state_add(META_SOURCE, "runtime", "active", "");
	push(0, 1000);
	cr_assert(eq(u64, passes_run(&passes), 1000));
	push(1000, 10);
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 1010));
	cr_assert(eq(u64, seen.next, 1010));
	cr_assert(ge(u64, seen.clocks, 1));
	cr_assert(eq(u64, seen.runs, 2), "at the beginning and in the closing frame");
	cr_assert(eq(u64, seen.sources, 2));
	cr_assert(eq(u64, seen.names, 2));
	cr_assert(eq(u64, seen.places, 1));
	cr_assert(eq(u64, seen.calls, 1));
	cr_assert(file.has_end);
	cr_assert(strcmp(file.end_reason, "exit") == 0);
	cr_assert(eq(u64, file.end.events, file.events));
	cr_assert(eq(u64, file.end.frames, file.frames));
	cr_assert(strcmp(file.ring_memory, "file") == 0);
}

Test(drain, repeats_definitions_in_every_frame_that_needs_them)
{
	begin(0);
	for (unsigned i = 0; i < 5; i++) {
		push(i * 10, 10);
		passes_run(&passes);
		cr_assert(eq(int, passes_flush(&passes, true), 0));
	}
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.names, 10), "two texts in five frames");
	cr_assert(eq(u64, seen.places, 5));
	cr_assert(eq(u64, seen.calls, 5));
}

Test(drain, what_is_published_is_readable_at_any_moment)
{
	begin(0);
	for (unsigned i = 0; i < 40; i++) {
		push(i * 100, 100);
		if (i % 3 == 0)
			passes_run(&passes);
		if (i % 7 == 0)
			(void)passes_flush(&passes, true);
		struct seen seen = read_back();
		cr_assert(eq(u64, seen.launches, (i + 1) * 100));
		cr_assert(eq(u64, file.gaps, 0));
		cr_assert(not(file.has_end));
	}
}

Test(drain, counts_what_found_the_ring_full)
{
	begin(0);
	push(0, 5000);
	cr_assert(eq(u64, passes_run(&passes), 4096));
	cr_assert(eq(u64, read_back().launches, 4096));
	cr_assert(eq(u64, file.lost, 904), "known before it is told");
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 4096));
	cr_assert(eq(u64, seen.lost[LOSS_RING_FULL], 904));
	cr_assert(eq(u64, file.end.lost, 904));
}

/* Every call from now on fails. */
static void fill_disk(void)
{
	faulty = (struct faulty){.fail_at = 1, .fail_count = 1000000, .fail_code = ENOSPC};
}

Test(drain, keeps_draining_and_counting_when_the_disk_is_full)
{
	begin(0);
	push(0, 100);
	passes_run(&passes);
	cr_assert(eq(int, passes_flush(&passes, true), 0));
	fill_disk();
	uint64_t pushed = 100;
	for (unsigned i = 0; i < 400; i++, pushed += 3000) {
		push(pushed, 3000);
		cr_assert(eq(u64, passes_run(&passes), 3000), "the ring must not fill up");
		(void)passes_flush(&passes, true);
	}
	/* There is room again, and the pause is over. */
	faulty.fail_at = 0;
	passes.writer.retry_ns = 0;
	push(pushed, 50);
	passes_run(&passes);
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(gt(u64, seen.lost[LOSS_DISK_FULL], 0));
	cr_assert(eq(u64, seen.launches + seen.lost[LOSS_DISK_FULL], pushed + 50));
	cr_assert(eq(u64, seen.next, pushed + 50), "the last ones are there");
	cr_assert(eq(u64, file.end.lost, seen.lost[LOSS_DISK_FULL]));
}

Test(drain, the_last_words_fit_on_a_full_disk)
{
	begin(0);
	push(0, 3000);
	passes_run(&passes);
	cr_assert(eq(int, passes_flush(&passes, true), 0));
	push(3000, 2000);
	passes_run(&passes);
	/* Only reserving fails: what is reserved already can be written to. */
	faulty = (struct faulty){.fail_at = 2, .fail_count = 1, .fail_code = ENOSPC};
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	cr_assert(eq(u32, faulty.failed, 1));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 3000));
	cr_assert(file.has_end);
	cr_assert(ge(u64, file.end.lost, 2000));
	cr_assert(eq(u64, file.end.events, file.events));
	cr_assert(eq(u64, file.end.lost, file.lost));
}

Test(drain, a_disk_that_stays_full_leaves_the_live_file_readable)
{
	begin(0);
	push(0, 100);
	passes_run(&passes);
	cr_assert(eq(int, passes_flush(&passes, true), 0));
	fill_disk();
	cr_assert(lt(int, passes_finish(&passes, "exit"), 0));
	read_back();
	cr_assert(not(file.truncated));
	cr_assert(eq(u32, file.frames, 1));
}

Test(drain, stops_at_the_size_limit_and_never_exceeds_it)
{
	begin(100000);
	uint64_t pushed = 0;
	for (unsigned i = 0; i < 500 && !passes.writer.over_limit; i++, pushed += 3000) {
		push(pushed, 3000);
		passes_run(&passes);
		(void)passes_flush(&passes, true);
	}
	cr_assert(passes.writer.over_limit);
	cr_assert(eq(int, passes_finish(&passes, "size limit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(le(u64, sink.bytes, 100000));
	cr_assert(strcmp(file.end_reason, "size limit") == 0);
	cr_assert(gt(u64, seen.launches, 0));
	cr_assert(ge(u64, seen.launches + seen.lost[LOSS_SIZE_LIMIT], pushed));
}

Test(drain, is_silent_while_nothing_happens)
{
	begin(0);
	push(0, 10);
	passes_run(&passes);
	passes_second(&passes, false);
	cr_assert(eq(u32, ticks_called, 1));
	passes_run(&passes);
	cr_assert(eq(int, passes_flush(&passes, true), 0));
	faulty.writes = 0;
	uint64_t bytes = sink.bytes, pending = live.header->pending_bytes;
	for (unsigned i = 0; i < 50; i++) {
		passes_run(&passes);
		passes.second_ns = 0; /* a second has gone by each time */
		passes_second(&passes, false);
		cr_assert(eq(int, passes_flush(&passes, false), 0));
	}
	cr_assert(eq(u32, faulty.writes, 0));
	cr_assert(eq(u64, sink.bytes, bytes));
	cr_assert(eq(u64, live.header->pending_bytes, pending));
	cr_assert(eq(u32, ticks_called, 1));
}

Test(drain, holds_a_frame_until_it_is_a_second_old)
{
	begin(0);
	push(0, 10);
	passes_run(&passes);
	cr_assert(eq(int, passes_flush(&passes, false), 0));
	cr_assert(eq(u64, sink.bytes, 0));
	passes.writer.frame_begin_ns -= 1100000000;
	cr_assert(eq(int, passes_flush(&passes, false), 0));
	cr_assert(gt(u64, sink.bytes, 0));
}

Test(drain, splits_a_block_whose_definitions_do_not_fit)
{
	begin(0);
	static char text[4000];
	struct live_ring *shared = ring->shared;
	memset(text, 't', sizeof(text));
	for (unsigned i = 0; i < 2000; i++) {
		int length = snprintf(text, sizeof(text), "%u", i);
		text[length] = 't';
		ring->records[shared->head & (shared->capacity - 1)] =
			(struct record){.begin = clock_ticks(),
				.end = clock_ticks(),
				.kind = RECORD_LAUNCH,
				.name = define_name(text, sizeof(text)),
				.a = i,
				.stream = 7};
		shared->head++;
	}
	cr_assert(eq(u64, passes_run(&passes), 2000));
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 2000));
	cr_assert(eq(u64, file.lost, 0));
	cr_assert(ge(u64, seen.names, 2000));
	cr_assert(gt(u32, file.frames, 7));
}

static void *producer(void *count)
{
	push(0, *(uint64_t *)count);
	return NULL;
}

Test(drain, takes_records_while_they_are_made)
{
	begin(0);
	uint64_t count = 200000, taken = 0;
	pthread_t thread;
	pthread_create(&thread, NULL, producer, &count);
	while (taken + __atomic_load_n(&ring->shared->lost, __ATOMIC_ACQUIRE) < count)
		taken += passes_run(&passes);
	pthread_join(thread, NULL);
	cr_assert(eq(int, passes_finish(&passes, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches + seen.lost[LOSS_RING_FULL], count));
	cr_assert(eq(u64, file.gaps, 0));
}
