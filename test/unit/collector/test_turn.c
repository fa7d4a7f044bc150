/* SPDX-License-Identifier: MIT */
/* What one turn of the drain thread takes, counts and gives back: who owned what, and how often. */
#include <pthread.h>
#include <sys/prctl.h>

#include "collector/format/fields.h"
#include "collector/gpu/gpu.h"
#include "test/unit/collector/turning.h"

TestSuite(turn, .fini = tear_down, .timeout = 60);

Test(turn, each_loss_is_counted_once)
{
	begin(0);
	push(0, 5000); /* 904 too many */
	cr_assert(eq(u64, turn_run(&turn), 4096));
	push(5000, 4096 + 50);
	cr_assert(eq(u64, turn_run(&turn), 4096));
	cr_assert(eq(u64, turn_run(&turn), 0));
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_expect(eq(u64, seen.launches, 2 * 4096));
	cr_expect(eq(u64, seen.lost[LOSS_RING_FULL], 954));
	cr_expect(eq(u64, file.end.lost, 954));
}

static unsigned own_faults;

static void see_faults(struct trace_file *from, const struct item *item, bool is_live)
{
	(void)from;
	(void)is_live;
	for (unsigned i = 0; item->type == ITEM_EVENTS && i < item->count; i++) {
		const struct record *record = &item->records[i];
		own_faults += record->kind == RECORD_THREAD_SAMPLE &&
			      record_THREAD_SAMPLE_metric(record) == THREAD_MINOR_FAULTS &&
			      record_THREAD_SAMPLE_thread(record) == (uint32_t)gettid();
	}
}

Test(turn, threads_that_feed_the_device_are_sampled_ten_times_a_second)
{
	begin(0);
	ring->records[0] = (struct record){.begin = clock_ticks(), .kind = RECORD_CALL, .call = 1};
	ring->shared->head = 1;
	turn_run(&turn);
	turn_second(&turn, false); /* none: no launch yet */
	push(1, 10);
	turn.threads_ns = 0;
	turn_run(&turn);
	turn_second(&turn, false); /* one */
	push(11, 10);
	turn_run(&turn);
	turn_second(&turn, false); /* none: too early */
	turn.threads_ns -= 100000000;
	turn_second(&turn, false); /* one */
	turn.threads_ns = 0;
	turn_second(&turn, false);                         /* none: nothing happened since */
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0)); /* one, the last */
	live_remove(&live);
	file = (struct trace_file){.item = see_faults};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_expect(eq(uint, own_faults, 3));
}

/* Of totals that go on few are enough, once there are many. */
Test(turn, threads_are_sampled_less_often_later)
{
	begin(0);
	own_faults = 0;
	for (unsigned i = 0; i < 64; i++) {
		push(i, 1);
		turn.threads_ns = 0;
		turn_run(&turn);
		turn_second(&turn, false);
	}
	push(64, 1);
	turn_run(&turn);
	turn.threads_ns -= 100000000;
	turn_second(&turn, false); /* none: too early by now */
	push(65, 1);
	turn_run(&turn);
	turn.threads_ns -= 400000000;
	turn_second(&turn, false);                         /* one */
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0)); /* one, the last */
	live_remove(&live);
	file = (struct trace_file){.item = see_faults};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_expect(eq(uint, own_faults, 66));
}

static struct record stopped;
static uint64_t first_launch_ns, last_launch_ns;

static void see_stop(struct trace_file *from, const struct item *item, bool is_live)
{
	(void)from;
	(void)is_live;
	for (unsigned i = 0; item->type == ITEM_EVENTS && i < item->count; i++) {
		if (item->records[i].kind == RECORD_MARK)
			stopped = item->records[i];
		if (item->records[i].kind == RECORD_LAUNCH && first_launch_ns == 0)
			first_launch_ns = item->records[i].begin;
		if (item->records[i].kind == RECORD_LAUNCH)
			last_launch_ns = item->records[i].end;
	}
}

static void finish_with_stop(void)
{
	turn_run(&turn);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	file = (struct trace_file){.item = see_stop};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
}

/* On a busy machine steps have ended before the drain thread runs again. */
/* What a thread is called while the interface makes threads is not its name. */
Test(turn, a_name_that_is_ours_is_not_the_threads)
{
	begin(0);
	cr_assert(zero(int, prctl(PR_SET_NAME, "trainer", 0, 0, 0)));
	push(0, 10);
	turn_run(&turn);
	turn_second(&turn, true);
	cr_assert(eq(str, ring->shared->name, "trainer"));
	cr_assert(zero(int, prctl(PR_SET_NAME, GPU_THREAD_NAME, 0, 0, 0)));
	turn_second(&turn, true);
	cr_expect(eq(str, ring->shared->name, "trainer"));
	cr_assert(zero(int, prctl(PR_SET_NAME, "evaluator", 0, 0, 0)));
	turn_second(&turn, true);
	cr_expect(eq(str, ring->shared->name, "evaluator"));
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
}

Test(turn, a_stop_ends_where_the_program_goes_on)
{
	begin(0);
	turn_sleeps(&turn);
	turn.still.since_ns -= 600000000;
	push(0, 2);
	usleep(20000);
	push(2, 2);
	turn_slept(&turn, 10000000);
	finish_with_stop();
	cr_expect(eq(u32, record_MARK_what(&stopped), MARK_STOPPED));
	cr_expect(eq(u64, stopped.end, first_launch_ns));
}

Test(turn, a_stop_begins_where_the_program_was_seen_last)
{
	begin(0);
	usleep(20000);
	turn_run(&turn); /* the clock's rate is known */
	turn_sleeps(&turn);
	uint64_t slept_ns = turn.still.since_ns;
	push(0, 1);
	usleep(4000);
	push(1, 1);
	usleep(300000);
	turn_slept(&turn, 10000000);
	finish_with_stop();
	cr_expect(eq(u32, record_MARK_what(&stopped), MARK_STOPPED));
	cr_expect(ge(u64, stopped.begin, slept_ns + 4000000));
	cr_expect(eq(u64, stopped.begin, last_launch_ns));
}

Test(turn, a_stop_of_the_thread_at_work_is_seen)
{
	begin(0);
	turn_sleeps(&turn);
	turn_slept(&turn, 10000000);
	turn_run(&turn);
	usleep(300000);
	turn_sleeps(&turn);
	finish_with_stop();
	cr_expect(eq(u32, record_MARK_what(&stopped), MARK_STOPPED));
}

Test(turn, a_thread_that_wrote_to_the_file_was_not_stopped)
{
	begin(0);
	push(0, 2);
	turn_sleeps(&turn);
	turn_slept(&turn, 10000000);
	turn_run(&turn);
	cr_assert(eq(int, turn_flush(&turn, true), 0));
	usleep(300000);
	turn_sleeps(&turn);
	finish_with_stop();
	cr_expect(eq(u64, stopped.end, 0));
}

static uint32_t threads[8];
static unsigned thread_count;

static void see_threads(struct trace_file *from, const struct item *item, bool is_live)
{
	(void)from;
	(void)is_live;
	if (item->type == ITEM_EVENTS && item->records[0].kind == RECORD_LAUNCH && thread_count < 8)
		threads[thread_count++] = item->thread;
}

Test(turn, a_ring_that_changes_hands_has_a_new_number)
{
	begin(0);
	uint32_t first = ring->shared->thread;
	push(0, 10);
	turn_run(&turn);
	__atomic_store_n(&ring->shared->thread, first + 5, __ATOMIC_RELEASE);
	push(10, 10);
	turn_run(&turn);
	cr_expect(eq(u64, turn.writer.unowned_pending.count, 10));
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	file = (struct trace_file){.item = see_threads};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_assert(eq(uint, thread_count, 2));
	cr_expect(eq(u32, threads[0], first));
	cr_expect(eq(u32, threads[1], first + 5));
}

/* Records whose definitions fill many frames; from some frame on nothing can be written. */
Test(turn, what_is_refused_of_a_block_is_counted)
{
	static char text[4000];
	begin(0);
	memset(text, 't', sizeof(text));
	for (unsigned i = 0; i < 2000; i++) {
		int length = snprintf(text, sizeof(text), "%u", i);
		text[length] = 't';
		uint64_t now = clock_ticks();
		ring->records[i] = (struct record){.begin = now,
			.end = now,
			.kind = RECORD_LAUNCH,
			.name = define_name(text, sizeof(text)),
			.a = i,
			.stream = 7};
	}
	__atomic_store_n(&ring->shared->head, 2000, __ATOMIC_RELEASE);
	faulty = (struct faulty){.fail_at = 20, .fail_count = 1000000, .fail_code = ENOSPC};
	cr_assert(eq(u64, turn_run(&turn), 2000));
	cr_expect(gt(u32, faulty.failed, 0));
	faulty = (struct faulty){0};
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_expect(gt(u64, seen.launches, 0));
	cr_expect(gt(u64, seen.lost[LOSS_DISK_FULL], 0));
	cr_expect(eq(u64, seen.launches + seen.lost[LOSS_DISK_FULL], 2000));
	cr_expect(eq(u64, file.end.lost, seen.lost[LOSS_DISK_FULL]));
}

Test(turn, a_frame_is_held_for_a_second)
{
	static const struct {
		uint64_t age_ms;
		bool written;
	} cases[] = {{0, false}, {500, false}, {1001, true}, {3000, true}};
	begin(0);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = sink.bytes;
		push(10 * i, 10);
		turn_run(&turn);
		turn.writer.frame_begin_ns = clock_monotonic_ns() - cases[i].age_ms * 1000000;
		cr_assert(eq(int, turn_flush(&turn, false), 0));
		cr_expect(eq(int, sink.bytes > before, cases[i].written), "%lu ms",
			(unsigned long)cases[i].age_ms);
	}
}

static uint32_t stop;

/* Fill the ring as fast as there is room; what finds none is tried again. */
static void *fill(void *unused)
{
	struct live_ring *shared = ring->shared;
	(void)unused;
	for (uint64_t i = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE);) {
		if (shared->head - __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE) >=
			shared->capacity)
			continue;
		uint64_t now = clock_ticks();
		ring->records[shared->head & (shared->capacity - 1)] = (struct record){
			.begin = now, .end = now, .kind = RECORD_LAUNCH, .a = i++, .stream = 7};
		__atomic_store_n(&shared->head, shared->head + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A ring of many blocks: a place is given back when its block was taken, not before. */
Test(turn, a_full_ring_of_many_blocks_is_taken_in_order)
{
	pthread_t thread;
	begin(0);
	ring = ring_take(&live, 65536 * sizeof(struct record));
	cr_assert(eq(u64, ring->shared->capacity, 65536));
	cr_assert(eq(int, pthread_create(&thread, NULL, fill, NULL), 0));
	uint64_t taken = 0;
	while (taken < 400000)
		taken += turn_run(&turn);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_expect(eq(u64, seen.launches, ring->shared->head));
	cr_expect(eq(u64, seen.next, ring->shared->head));
}
