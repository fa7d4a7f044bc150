/* SPDX-License-Identifier: MIT */
/*
 * The turns of the drain thread, taken one by one on the test's own thread, over a ring that
 * the test fills and a file whose system calls can be made to fail; and the file read back.
 * The state is static, one recording at a time.
 */
#ifndef TEST_UNIT_COLLECTOR_TURNING_H
#define TEST_UNIT_COLLECTOR_TURNING_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

#include "collector/buffer/define.h"
#include "collector/drain/turn.h"
#include "test/unit/analyzer/trace_file.h"
#include "test/unit/collector/faulty_calls.h"
#include "test/unit/collector/one_call.h"

#define RING_BYTES (4096 * sizeof(struct record))

static char folder[64], stem[96], path[128];
static struct live live;
static struct sink sink;
static struct turn turn;
static struct ring *ring;
static unsigned ticks_called;

static inline void count_tick(uint64_t now_ns)
{
	ticks_called += now_ns != 0;
}

static struct collector_options options = {.ring_bytes = RING_BYTES,
	.role = "main",
	.compression = 1,
	.rank = 3,
	.world_size = 8,
	.call_of = one_call,
	.call_count = 2,
	.tick = count_tick};

static inline void begin(uint64_t max_bytes)
{
	struct clock_triple first;
	options.max_bytes = max_bytes;
	cr_assert(mkdtemp(memcpy(folder, "/tmp/libtrace-drain-XXXXXX", 27)) != NULL);
	(void)snprintf(stem, sizeof(stem), "%s/trace", folder);
	(void)snprintf(path, sizeof(path), "%s.msgpack.zst", stem);
	clock_init(false);
	clock_read_triple(&first);
	cr_assert(eq(int, sink_open(&sink, path, &faulty_calls), 0));
	cr_assert(eq(int, live_open(&live, stem, LIVE_AUTO), 0));
	define_publish(&live);
	cr_assert(eq(int, turn_init(&turn, &options, &live, &sink, &first), 0));
	ring = ring_take(&live, RING_BYTES);
}

static inline void tear_down(void)
{
	live_remove(&live);
	(void)unlink(path);
	(void)rmdir(folder);
}

static inline void push(uint64_t from, uint64_t count)
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
	uint64_t launches;
	uint64_t metas[META_KIND_COUNT];
	uint64_t lost[LOSS_CAUSE_COUNT];
	uint64_t samples, sample_thread, sample_tid;
	uint64_t last_end;
};

static inline void see_state(struct seen *seen, const struct meta *meta)
{
	seen->metas[meta->kind]++;
	if (meta->kind == META_THREAD && strcmp(meta->u.thread.name, "libtrace") == 0)
		seen->sample_tid = meta->u.thread.tid;
	if (meta->kind == META_CALL)
		cr_assert(strcmp(meta->u.call.name, "cudaMemcpy") == 0);
	if (meta->kind != META_LOST)
		return;
	cr_assert(ne(u32, loss_cause_of(meta->u.lost.cause), LOSS_OTHER));
	seen->lost[loss_cause_of(meta->u.lost.cause)] += meta->u.lost.count;
	cr_assert(le(u64, meta->u.lost.first_ns, meta->u.lost.last_ns));
	cr_assert(ne(u64, meta->u.lost.first_ns, 0));
}

static inline void see(struct trace_file *file, const struct item *item, bool is_live)
{
	struct seen *seen = file->context;
	if (item->type == ITEM_META) {
		see_state(seen, &item->meta);
		return;
	}
	for (unsigned i = 0; i < item->count; i++) {
		const struct record *record = &item->records[i];
		if (record->kind == RECORD_SAMPLE || record->kind == RECORD_THREAD_SAMPLE) {
			seen->samples++;
			seen->sample_thread = item->thread;
			cr_assert(eq(u64, record->begin, record->end));
		}
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

static inline struct seen read_back(void)
{
	struct seen seen = {0};
	file = (struct trace_file){.item = see, .context = &seen};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_assert(eq(u64, file.duplicates, 0));
	return seen;
}

#endif
