/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <unistd.h>

#include "test/unit/collector/turning.h"

TestSuite(drain, .fini = tear_down, .timeout = 60);

Test(drain, writes_events_with_their_definitions_and_an_end)
{
	begin(0);
	state_add(META_SOURCE, "runtime", "active", "");
	push(0, 1000);
	cr_assert(eq(u64, turn_run(&turn), 1000));
	push(1000, 10);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 1010));
	cr_assert(eq(u64, seen.next, 1010));
	cr_assert(ge(u64, seen.metas[META_CLOCK], 1));
	cr_assert(eq(u64, seen.metas[META_RUN], 2), "at the beginning and in the closing frame");
	cr_assert(eq(u64, seen.metas[META_SOURCE], 2));
	cr_assert(eq(u64, seen.metas[META_NAME], 2));
	cr_assert(eq(u64, seen.metas[META_PLACE], 1));
	cr_assert(eq(u64, seen.metas[META_CALL], 1));
	cr_assert(file.has_end);
	cr_assert(strcmp(file.end_reason, "exit") == 0);
	cr_assert(eq(u64, file.end.events, file.events));
	cr_assert(eq(u64, file.end.frames, file.frames));
	cr_assert(strcmp(file.ring_memory, live_memory(&live)) == 0);
}

Test(drain, repeats_definitions_in_every_frame_that_needs_them)
{
	begin(0);
	for (unsigned i = 0; i < 5; i++) {
		push(i * 10, 10);
		turn_run(&turn);
		cr_assert(eq(int, turn_flush(&turn, true), 0));
	}
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.metas[META_NAME], 10), "two texts in five frames");
	cr_assert(eq(u64, seen.metas[META_PLACE], 5));
	cr_assert(eq(u64, seen.metas[META_CALL], 5));
}

/* An operator's line is a place that no event may have as its own. */
Test(drain, defines_the_line_of_an_operator)
{
	begin(0);
	struct live_ring *shared = ring->shared;
	uint32_t line =
		define_place(&(struct live_place){.file = define_name("net.py", 6), .line = 58});
	for (unsigned i = 0; i < 3; i++) {
		ring->records[shared->head & (shared->capacity - 1)] =
			(struct record){.begin = clock_ticks(),
				.end = clock_ticks(),
				.kind = RECORD_OP,
				.name = define_name("aten::relu", 10),
				.a = (uint64_t)line << 32 | i};
		shared->head++;
		turn_run(&turn);
		cr_assert(eq(int, turn_flush(&turn, true), 0));
	}
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.metas[META_PLACE], 3), "once in each frame");
}

Test(drain, what_is_published_is_readable_at_any_moment)
{
	begin(0);
	for (unsigned i = 0; i < 40; i++) {
		push(i * 100, 100);
		if (i % 3 == 0)
			turn_run(&turn);
		if (i % 7 == 0)
			(void)turn_flush(&turn, true);
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
	cr_assert(eq(u64, turn_run(&turn), 4096));
	cr_assert(eq(u64, read_back().launches, 4096));
	cr_assert(eq(u64, file.lost, 904), "known before it is told");
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 4096));
	cr_assert(eq(u64, seen.lost[LOSS_RING_FULL], 904));
	cr_assert(eq(u64, file.end.lost, 904));
}

Test(drain, is_silent_while_nothing_happens)
{
	begin(0);
	push(0, 10);
	turn_run(&turn);
	turn_second(&turn, false);
	cr_assert(eq(u32, ticks_called, 1));
	turn_run(&turn);
	cr_assert(eq(int, turn_flush(&turn, true), 0));
	faulty.writes = 0;
	uint64_t bytes = sink.bytes, pending = live.header->pending_bytes;
	for (unsigned i = 0; i < 50; i++) {
		turn_run(&turn);
		turn.second_ns = 0; /* a second has gone by each time */
		turn_second(&turn, false);
		cr_assert(eq(int, turn_flush(&turn, false), 0));
	}
	cr_assert(eq(u32, faulty.writes, 0));
	cr_assert(eq(u64, sink.bytes, bytes));
	cr_assert(eq(u64, live.header->pending_bytes, pending));
	cr_assert(eq(u32, ticks_called, 1));
}

/* Two seconds and the end: each time as many, under the thread that calls. */
Test(drain, samples_are_events_of_the_drain_thread)
{
	begin(0);
	for (unsigned i = 0; i < 2; i++) {
		push(10 * i, 10);
		turn_run(&turn);
		turn.second_ns = turn.threads_ns = 0;
		turn_second(&turn, false);
	}
	cr_assert(eq(u64, turn.taken, 20), "samples are no activity");
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(gt(u64, seen.samples, 0));
	cr_assert(eq(u64, seen.samples % 3, 0));
	cr_assert(ne(u64, seen.sample_thread, ring->thread));
	cr_assert(eq(u64, seen.sample_tid, (uint64_t)gettid()));
	cr_assert(eq(u64, file.gaps, 0));
	cr_assert(eq(u64, file.end.events, 20 + seen.samples));
}

Test(drain, takes_no_samples_that_are_not_wanted)
{
	options.without_samples = true;
	begin(0);
	push(0, 10);
	turn_run(&turn);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.samples, 0));
	cr_assert(eq(u64, file.end.events, 10));
}

Test(drain, holds_a_frame_until_it_is_a_second_old)
{
	begin(0);
	push(0, 10);
	turn_run(&turn);
	cr_assert(eq(int, turn_flush(&turn, false), 0));
	cr_assert(eq(u64, sink.bytes, 0));
	turn.writer.frame_begin_ns -= 1100000000;
	cr_assert(eq(int, turn_flush(&turn, false), 0));
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
	cr_assert(eq(u64, turn_run(&turn), 2000));
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 2000));
	cr_assert(eq(u64, file.lost, 0));
	cr_assert(ge(u64, seen.metas[META_NAME], 2000));
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
		taken += turn_run(&turn);
	pthread_join(thread, NULL);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches + seen.lost[LOSS_RING_FULL], count));
	cr_assert(eq(u64, file.gaps, 0));
}
