/* SPDX-License-Identifier: MIT */
/* What lay ready when a loop asked, by made-up messages of it and of its workers. */
#include "analyzer/run/depth.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#define MS      1000000ull
#define WORKERS 2u
#define STEP    (10 * MS)
#define TAKE    MS

static run_workers workers;
static uint64_t taken[1000];
static unsigned slower = 1; /* so many times what others take, worker 3 takes */

/* A loop of pid 1 and workers 2 and 3. */
static void set_up(void)
{
	for (uint64_t pid = 1; pid <= 1 + WORKERS; pid++) {
		struct worker worker = {
			.identity = pid, .parent = pid > 1, .count = pid > 1 ? WORKERS : 0};
		cr_assert(vec_push(&workers, worker) == 0);
	}
}

static void tear_down(void)
{
	slower = 1;
	workers_release(&workers);
}

TestSuite(depth, .init = set_up, .fini = tear_down, .timeout = 60);

static void tell(unsigned who, uint64_t at_ns, uint32_t number)
{
	struct queue_message message = {at_ns, number};
	cr_assert(vec_push(&workers.items[who].queue.messages, message) == 0);
}

static void ask(uint64_t begin_ns, uint64_t end_ns)
{
	struct queue_ask one = {begin_ns, end_ns};
	cr_assert(vec_push(&workers.items[0].queue.asks, one) == 0);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * An epoch as PyTorch has it: so many ahead, workers in turn, batches in order, a load more at the
 * end. Each 20th batch takes slow_ns, the others fast_ns. Returns when it ended.
 */
static uint64_t epoch(
	uint64_t begin_ns, unsigned count, unsigned ahead, uint64_t fast_ns, uint64_t slow_ns)
{
	uint64_t free_ns[WORKERS] = {0}, now = begin_ns;
	for (unsigned i = 0; i < ahead && i < count; i++)
		tell(0, begin_ns, i);
	for (unsigned i = 0; i < count; i++) {
		unsigned who = i % WORKERS;
		uint64_t wanted = i < ahead ? begin_ns : taken[i - ahead];
		free_ns[who] = later(free_ns[who], wanted) +
			       (i % 20 == 10 ? slow_ns : fast_ns) * (who == 1 ? slower : 1);
		tell(1 + who, free_ns[who], i);
		taken[i] = later(now, free_ns[who]) + TAKE;
		ask(now, taken[i]);
		if (i + ahead < count)
			tell(0, taken[i], i + ahead);
		now = taken[i] + STEP;
	}
	ask(now, now + MS / 10);
	return now + MS;
}

static struct depth found(void)
{
	struct depth depth;
	cr_assert(eq(int, depth_of(&workers, 1, &depth), 0));
	return depth;
}

Test(depth, workers_that_are_fast_are_always_ahead)
{
	(void)epoch(MS, 100, 6, 2 * MS, 2 * MS);
	struct depth depth = found();
	cr_expect(eq(u64, depth.asks, 100));
	cr_expect(eq(u64, depth.left_out, 0));
	cr_expect(eq(u32, depth.most, 6));
	cr_expect(eq(u64, depth.none, 1)); /* the first */
	cr_expect(eq(u64, depth.missing, 1));
	cr_expect(depth.ready > 4.5 && depth.ready <= 6);
	cr_expect(fabs(depth.take_ns - (double)TAKE) < 1);
	cr_expect(fabs(depth.average_ns - 2e6) < 1e3);
	cr_expect(eq(u32, depth.prefetch, 0));
}

Test(depth, workers_that_are_slow_have_nothing_ready)
{
	(void)epoch(MS, 100, 4, 50 * MS, 50 * MS);
	struct depth depth = found();
	cr_expect(eq(u32, depth.most, 4));
	cr_expect(depth.none >= 50 && depth.missing >= 50);
	cr_expect(fabs(depth.average_ns - 50e6) < 1e3);
	cr_expect(eq(u32, depth.prefetch, 0)); /* however far ahead */
}

/* What is promised is what becomes of it. */
Test(depth, single_slow_batches_want_more_ahead)
{
	uint64_t end = epoch(MS, 200, 4, 2 * MS, 100 * MS);
	struct depth depth = found();
	cr_expect(depth.missing >= 10 && depth.none <= 2);
	cr_assert(depth.prefetch > 2 && depth.prefetch < 16);
	cr_expect(fabs(depth.longest_ns - 100e6) < 1e3);
	cr_expect(fabs(depth.now_ns - (double)(end - MS) / 200) < 0.02 * depth.now_ns);
	tear_down();
	workers = (run_workers){0};
	set_up();
	end = epoch(MS, 200, WORKERS * depth.prefetch, 2 * MS, 100 * MS);
	cr_expect(fabs(depth.then_ns - (double)(end - MS) / 200) < 0.02 * depth.then_ns);
	cr_expect(depth.then_ns < 0.9 * depth.now_ns);
}

Test(depth, a_worker_is_slow_when_all_its_batches_are)
{
	slower = 5;
	(void)epoch(MS, 100, 4, 10 * MS, 10 * MS);
	struct depth depth = found();
	cr_expect(fabs(depth.slow_ns - 50e6) < 1e6, "%g", depth.slow_ns);
	cr_expect(fabs(depth.others_ns - 10e6) < 1e6, "%g", depth.others_ns);
	tear_down();
	workers = (run_workers){0};
	set_up();
	(void)epoch(MS, 100, 4, 10 * MS, 200 * MS); /* those that take long have one worker */
	cr_expect(eq(dbl, found().slow_ns, 0));
}

Test(depth, epochs_are_told_apart_by_their_numbers)
{
	uint64_t end = epoch(MS, 50, 4, 2 * MS, 2 * MS);
	end = epoch(end, 30, 4, 2 * MS, 2 * MS);
	(void)epoch(end, 3, 4, 2 * MS, 2 * MS);
	struct depth depth = found();
	cr_expect(eq(u64, depth.asks, 83));
	cr_expect(eq(u64, depth.left_out, 0));
	cr_expect(eq(u64, depth.none, 3));
	cr_expect(eq(u32, depth.most, 4));
}

Test(depth, an_epoch_that_lacks_a_message_is_left_out)
{
	uint64_t end = epoch(MS, 50, 4, 2 * MS, 2 * MS);
	struct queue *queue = &workers.items[1].queue;
	queue->messages.items[7] = queue->messages.items[--queue->messages.count];
	(void)epoch(end, 30, 4, 2 * MS, 2 * MS);
	struct depth depth = found();
	cr_expect(eq(u64, depth.asks, 30));
	cr_expect(eq(u64, depth.left_out, 51));
}

Test(depth, loads_of_another_loader_between_are_not_mistaken)
{
	(void)epoch(MS, 50, 4, 2 * MS, 2 * MS);
	for (unsigned i = 0; i < 5; i++) {
		struct queue_ask one = workers.items[0].queue.asks.items[0];
		cr_assert(vec_push(&workers.items[0].queue.asks, one) == 0);
	}
	struct depth depth = found();
	cr_expect(eq(u64, depth.asks, 0));
	cr_expect(eq(u64, depth.left_out, 56));
}

Test(depth, nothing_is_known_without_messages_loads_or_the_process)
{
	struct depth depth = found();
	cr_expect(eq(u64, depth.asks, 0));
	ask(MS, 2 * MS);
	depth = found();
	cr_expect(eq(u64, depth.asks, 0));
	tell(0, MS, 0);
	depth = found();
	cr_expect(eq(u64, depth.asks, 0));
	cr_assert(eq(int, depth_of(&workers, 99, &depth), 0));
	cr_expect(eq(u64, depth.asks, 0));
	tell(0, MS, UINT32_MAX); /* of another kind */
	cr_assert(eq(int, depth_of(&workers, 1, &depth), 0));
}
