/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/buffer/ring.h"

TestSuite(ring_together, .timeout = 60);

#define AT_ONCE 96u

static pthread_barrier_t all_there;
static struct live in_file; /* where a piece takes a while */

static void *take_with_others(void *unused)
{
	(void)pthread_barrier_wait(&all_there);
	cr_assert(ne(ptr, ring_take(&in_file, 1 << 20), NULL));
	(void)pthread_barrier_wait(&all_there); /* none of them ends before */
	return unused;
}

static void begin_together(unsigned count)
{
	pthread_t threads[AT_ONCE];
	(void)pthread_barrier_init(&all_there, NULL, count);
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, take_with_others, NULL);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	(void)pthread_barrier_destroy(&all_there);
}

Test(ring_together, threads_that_begin_together_are_counted_too)
{
	char folder[] = "/tmp/libtrace-ring-XXXXXX", name[64];
	cr_assert(ne(ptr, mkdtemp(folder), NULL));
	(void)snprintf(name, sizeof(name), "%s/rings", folder);
	cr_assert(eq(int, live_open(&in_file, name, LIVE_BESIDE), 0));
	for (unsigned round = 0; round < 8; round++) {
		unsigned large = 0, medium = 0;
		begin_together(AT_ONCE);
		cr_assert(eq(u32, ring_count(), AT_ONCE));
		for (unsigned i = 0; i < AT_ONCE; i++) {
			large += ring_at(i)->capacity == ring_capacity(0, 1 << 20);
			medium += ring_at(i)->capacity == ring_capacity(RING_LARGE_COUNT, 1 << 20);
		}
		cr_expect(le(uint, large, RING_LARGE_COUNT));
		cr_expect(le(uint, large + medium, RING_MEDIUM_COUNT));
		ring_forget();
	}
	live_remove(&in_file);
	(void)rmdir(folder);
}

Test(ring_together, one_after_another_each_counts_once)
{
	struct live live;
	cr_assert(eq(int, live_open(&live, "/nonexistent/none", LIVE_PRIVATE), 0));
	for (unsigned i = 0; i < AT_ONCE; i++) {
		struct ring *ring = ring_take(&live, 1 << 20);
		cr_assert(ne(ptr, ring, NULL));
		cr_expect(eq(u64, ring->capacity, ring_capacity(i, 1 << 20)));
	}
}
