/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/buffer/ring.h"

#define SMALL (RING_MIN_RECORDS * sizeof(struct record))
#define LARGE (64 * SMALL)

static struct live live;

static void set_up(void)
{
	cr_assert(eq(int, live_open(&live, "/nonexistent/none", LIVE_PRIVATE), 0));
}

TestSuite(ring, .init = set_up, .timeout = 60);

/* What collector_reserve() and collector_commit() do, on a ring of its own. */
static bool push(struct live_ring *shared, struct record *records, uint64_t value)
{
	uint64_t head = shared->head;
	if (head - __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE) >= shared->capacity)
		return false;
	struct record *record = &records[head & (shared->capacity - 1)];
	record->a = value;
	record->b = ~value;
	__atomic_store_n(&shared->head, head + 1, __ATOMIC_RELEASE);
	return true;
}

/* Take all that waits; every record must be the next one. */
static uint64_t take(struct ring *ring, uint64_t *expected)
{
	uint64_t first;
	uint64_t count = ring_waiting(ring, &first);
	for (uint64_t i = 0; i < count; i++) {
		const struct record *record =
			&ring->records[(first + i) & (ring->shared->capacity - 1)];
		cr_assert(eq(u64, record->a, *expected));
		cr_assert(eq(u64, record->b, ~*expected));
		++*expected;
	}
	ring_release(ring, first + count);
	return count;
}

Test(ring, capacity_is_a_power_of_two_and_shrinks_with_the_number_of_rings)
{
	cr_assert(eq(u64, ring_capacity(0, 1 << 20), 16384));
	cr_assert(eq(u64, ring_capacity(RING_LARGE_COUNT - 1, 1 << 20), 16384));
	cr_assert(eq(u64, ring_capacity(RING_LARGE_COUNT, 1 << 20), 4096));
	cr_assert(eq(u64, ring_capacity(RING_MEDIUM_COUNT, 1 << 20), 1024));
	cr_assert(eq(u64, ring_capacity(LIVE_RING_LIMIT - 1, 1 << 20), 1024));
	cr_assert(eq(u64, ring_capacity(0, 100000), 1024));
	cr_assert(eq(u64, ring_capacity(0, 0), RING_MIN_RECORDS));
}

Test(ring, wraps_and_keeps_the_order)
{
	struct ring *ring = ring_take(&live, SMALL);
	uint64_t pushed = 0, expected = 0;
	for (unsigned round = 0; round < 100; round++) {
		for (unsigned i = 0; i < 100 + round; i++)
			cr_assert(push(ring->shared, ring->records, pushed++));
		cr_assert(eq(u64, take(ring, &expected), 100 + round));
	}
	cr_assert(eq(u64, expected, pushed));
}

Test(ring, is_full_at_its_capacity_and_keeps_the_oldest)
{
	struct ring *ring = ring_take(&live, SMALL);
	uint64_t expected = 0;
	for (uint64_t i = 0; i < RING_MIN_RECORDS; i++)
		cr_assert(push(ring->shared, ring->records, i));
	cr_assert(not(push(ring->shared, ring->records, 999)));
	cr_assert(eq(u64, take(ring, &expected), RING_MIN_RECORDS));
	cr_assert(push(ring->shared, ring->records, RING_MIN_RECORDS));
	cr_assert(eq(u64, take(ring, &expected), 1));
}

Test(ring, counts_losses_with_their_range)
{
	struct ring *ring = ring_take(&live, SMALL);
	struct live_ring *shared = ring->shared;
	for (uint64_t ticks = 1000; ticks < 1010; ticks++)
		ring_count_loss(shared, ticks);
	cr_assert(eq(u64, shared->lost, 10));
	cr_assert(eq(u64, shared->lost_first_ticks, 1000));
	cr_assert(eq(u64, shared->lost_last_ticks, 1009));
	/* A new range begins when the old one was told. */
	shared->lost_taken = shared->lost;
	ring_count_loss(shared, 5000);
	ring_count_loss(shared, 6000);
	cr_assert(eq(u64, shared->lost, 12));
	cr_assert(eq(u64, shared->lost_first_ticks, 5000));
	cr_assert(eq(u64, shared->lost_last_ticks, 6000));
}

struct stress {
	struct ring *ring;
	uint64_t count;
	uint64_t refused;
};

static void *produce(void *argument)
{
	struct stress *stress = argument;
	stress->ring = ring_take(&live, SMALL);
	struct live_ring *shared = stress->ring->shared;
	for (uint64_t i = 0; i < stress->count;) {
		if (push(shared, stress->ring->records, i)) {
			i++;
			continue;
		}
		stress->refused++;
		ring_count_loss(shared, i);
		(void)sched_yield();
	}
	return NULL;
}

Test(ring, two_threads_agree_on_every_record)
{
	struct stress stress = {.count = 300000};
	pthread_t producer;
	uint64_t expected = 0;
	pthread_create(&producer, NULL, produce, &stress);
	while (expected < stress.count) {
		struct ring *ring = ring_at(0);
		if (__atomic_load_n(&ring->shared, __ATOMIC_ACQUIRE) == NULL ||
			take(ring, &expected) == 0)
			(void)sched_yield();
	}
	pthread_join(producer, NULL);
	cr_assert(eq(u64, stress.ring->shared->lost, stress.refused));
}

static void *take_and_push(void *ret_ring)
{
	struct ring *ring = ring_take(&live, SMALL);
	(void)push(ring->shared, ring->records, 0);
	*(struct ring **)ret_ring = ring;
	return NULL;
}

/* pthread_join() may return a moment before the kernel has forgotten the thread. */
static unsigned sweep_after_exit(void)
{
	struct timespec pause = {0, 1000000};
	unsigned freed = 0;
	for (unsigned i = 0; i < 1000 && freed == 0; i++) {
		nanosleep(&pause, NULL);
		freed = ring_sweep(true);
	}
	return freed;
}

Test(ring, of_an_ended_thread_is_reused_once_it_is_drained)
{
	struct ring *ring = NULL, *next = NULL;
	uint64_t expected = 0;
	pthread_t thread;
	pthread_create(&thread, NULL, take_and_push, &ring);
	pthread_join(thread, NULL);
	uint32_t id = ring->shared->thread;
	for (unsigned i = 0; i < 20; i++)
		cr_assert(eq(u32, ring_sweep(true), 0), "freed with a record in it");
	cr_assert(eq(u64, take(ring, &expected), 1));
	cr_assert(eq(u32, sweep_after_exit(), 1));
	cr_assert(eq(u32, ring->shared->thread, 0));
	pthread_create(&thread, NULL, take_and_push, &next);
	pthread_join(thread, NULL);
	cr_assert(eq(ptr, next, ring));
	cr_assert(ne(u32, next->shared->thread, id));
	cr_assert(eq(u64, next->shared->head, 1));
	cr_assert(eq(u32, ring_count(), 1));
}

Test(ring, is_freed_at_once_where_a_thread_looks_for_one)
{
	struct ring *ring = NULL;
	uint64_t expected = 0;
	pthread_t thread;
	pthread_create(&thread, NULL, take_and_push, &ring);
	pthread_join(thread, NULL);
	(void)ring_sweep(true);
	cr_assert(eq(u64, take(ring, &expected), 1));
	cr_assert(not(ring_sweep_at(0)), "nobody looks for one");
	cr_assert(eq(ptr, ring_take(&live, SMALL), ring_at(1)));
	struct timespec pause = {0, 1000000};
	for (unsigned i = 0; i < 1000 && !ring_sweep_at(0); i++)
		nanosleep(&pause, NULL);
	cr_assert(eq(ptr, ring_take(&live, SMALL), ring));
	cr_assert(not(ring_sweep_at(0)), "its owner lives");
}

Test(ring, of_a_living_thread_is_never_freed)
{
	struct ring *ring = ring_take(&live, SMALL);
	cr_assert(eq(u32, ring_sweep(true), 0));
	cr_assert(ne(u32, ring->shared->thread, 0));
	cr_assert(eq(u32, ring->shared->tid, (uint32_t)syscall(SYS_gettid)));
}

Test(ring, with_an_untold_loss_is_not_freed)
{
	struct ring *ring = NULL;
	uint64_t expected = 0;
	pthread_t thread;
	pthread_create(&thread, NULL, take_and_push, &ring);
	pthread_join(thread, NULL);
	(void)take(ring, &expected);
	ring_count_loss(ring->shared, 1);
	for (unsigned i = 0; i < 20; i++)
		cr_assert(eq(u32, ring_sweep(true), 0));
	/* Known to the drain thread alone: with a kill it would be gone. */
	ring->lost_told = 1;
	for (unsigned i = 0; i < 20; i++)
		cr_assert(eq(u32, ring_sweep(true), 0));
	ring->shared->lost_taken = 1;
	cr_assert(eq(u32, sweep_after_exit(), 1));
}

/* A small ring of the calling thread, full, and the larger one that it goes on in. */
static struct ring *grow(struct ring **ret_small)
{
	while (ring_count() < RING_MEDIUM_COUNT)
		(void)ring_make_pseudo(&live, "another", 0);
	struct ring *small = ring_take(&live, LARGE);
	for (uint64_t i = 0; i < small->capacity; i++)
		cr_assert(push(small->shared, small->records, i));
	*ret_small = small;
	ring_allow();
	return ring_grow(&live, small, LARGE);
}

Test(ring, that_is_full_is_followed_by_a_larger_one_of_the_same_thread)
{
	struct ring *small, *larger = grow(&small);
	uint64_t expected = 0, count = small->capacity;
	cr_assert(ne(ptr, larger, NULL));
	cr_assert(eq(u64, larger->capacity, RING_GROWTH * count));
	cr_assert(eq(u32, larger->shared->thread, small->shared->thread));
	cr_assert(eq(u64, larger->shared->first_sequence_of_thread, count));
	for (uint64_t i = 0; i < 10; i++)
		cr_assert(push(larger->shared, larger->records, count + i));
	cr_assert(not(ring_is_next(larger)), "out of order");
	cr_assert(eq(u32, ring_sweep(true), 0));
	cr_assert(eq(u64, take(small, &expected), count));
	cr_assert(eq(u32, ring_sweep(true), 0), "the other one does not know yet that it is next");
	cr_assert(ring_is_next(larger));
	cr_assert(eq(u64, take(larger, &expected), 10));
	cr_assert(eq(u32, ring_sweep(true), 1), "nobody writes to the small one any more");
	cr_assert(eq(u32, small->shared->thread, 0));
}

Test(ring, grows_up_to_the_largest_and_into_a_free_one_first)
{
	struct ring *small, *larger = grow(&small);
	struct ring *largest = larger, *next = larger;
	unsigned steps = 0;
	uint64_t expected = 0;
	(void)take(small, &expected);
	cr_assert(ring_is_next(larger));
	for (; next != NULL; next = ring_grow(&live, largest = next, LARGE), steps++)
		cr_assert(ring_is_next(next));
	cr_assert(eq(u64, largest->capacity, RING_GROWN_MOST * ring_capacity(0, LARGE)));
	cr_assert(eq(u64, largest->capacity, small->capacity << steps));
	cr_assert(eq(u32, ring_sweep(true), steps), "all but the last");
	unsigned before = ring_count();
	next = ring_take(&live, LARGE);
	cr_assert(eq(ptr, next, small));
	cr_assert(eq(u64, next->shared->first_sequence_of_thread, 0));
	cr_assert(eq(ptr, ring_grow(&live, next, LARGE), larger));
	cr_assert(eq(u32, ring_count(), before));
}

Test(ring, growth_is_bounded)
{
	struct ring *small, *larger = grow(&small);
	/* of a size of which there are not too many before that */
	const size_t large = 4 * LARGE;
	uint64_t bytes = 0;
	for (uint64_t last = 1; last != bytes;) {
		last = bytes;
		for (; larger != NULL; larger = ring_grow(&live, ring_take(&live, large), large))
			bytes += larger->capacity * sizeof(struct record);
		ring_allow();
		larger = ring_grow(&live, ring_take(&live, large), large);
	}
	cr_assert(ge(u64, bytes, RING_GROWN_LEAST / 2));
	cr_assert(le(u64, bytes, RING_GROWN_BYTES));
}

Test(ring, none_grows_before_it_is_known_what_is_free)
{
	struct ring *ring = ring_take(&live, SMALL);
	cr_assert(eq(ptr, ring_grow(&live, ring, 4 * LARGE), NULL));
	ring_allow();
	cr_assert(ne(ptr, ring_grow(&live, ring, 4 * LARGE), NULL));
}

Test(ring, growth_leaves_numbers_to_threads_that_have_none)
{
	const size_t least = 16 * RING_LARGE_COUNT * SMALL;
	unsigned grown = 0;
	while (ring_count() < RING_GROWN_LIMIT)
		(void)ring_make_pseudo(&live, "another", 0);
	struct ring *ring = ring_take(&live, least);
	cr_assert(ne(ptr, ring, NULL));
	cr_assert(eq(ptr, ring_grow(&live, ring, least), NULL));
	for (; ring_take(&live, least) != NULL; grown++)
		continue;
	cr_assert(eq(u32, grown, RING_THREAD_LIMIT - RING_GROWN_LIMIT - 1));
}

/* The records of a device and samples: they are not lost for threads that came before them. */
Test(ring, threads_leave_numbers_to_what_the_drain_thread_makes)
{
	while (ring_take(&live, SMALL) != NULL)
		continue;
	/* two of the device, one of samples */
	for (unsigned i = 0; i < 3; i++)
		cr_assert(ge(int, ring_make_pseudo(&live, "device", 0), 0));
	while (ring_make_pseudo(&live, "device", 0) >= 0)
		continue;
	cr_assert(eq(int, ring_make_pseudo(&live, "device", 0), -ENOMEM));
	cr_assert(eq(u32, ring_count(), LIVE_RING_LIMIT));
}

Test(ring, a_time_without_memory_uses_up_no_numbers)
{
	struct rlimit before, none = {0, RLIM_INFINITY};
	cr_assert(ne(ptr, ring_take(&live, SMALL), NULL));
	cr_assert(eq(int, getrlimit(RLIMIT_AS, &before), 0));
	none.rlim_max = before.rlim_max;
	cr_assert(eq(int, setrlimit(RLIMIT_AS, &none), 0));
	for (unsigned i = 0; i < LIVE_RING_LIMIT; i++)
		cr_assert(eq(ptr, ring_take(&live, SMALL), NULL));
	cr_assert(eq(int, setrlimit(RLIMIT_AS, &before), 0));
	cr_assert(ne(ptr, ring_take(&live, SMALL), NULL));
	cr_assert(eq(u32, ring_count(), 2));
}

Test(ring, there_is_a_limit_to_their_number)
{
	unsigned made = 0;
	while (ring_take(&live, SMALL) != NULL)
		made++;
	cr_assert(eq(u32, made, RING_THREAD_LIMIT));
	cr_assert(eq(u32, ring_count(), RING_THREAD_LIMIT));
	ring_forget();
	cr_assert(eq(u32, ring_count(), 0));
	cr_assert(ne(ptr, ring_take(&live, SMALL), NULL));
}
