/* SPDX-License-Identifier: MIT */
/* Events without a ring: where they are counted, when they are moved, and who has told of them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>

#include "collector/buffer/unowned.h"

#define THREADS 4u
#define EACH    200000u

static struct live lives[2];

static void set_up(void)
{
	for (unsigned i = 0; i < 2; i++)
		cr_assert(eq(int, live_open(&lives[i], "/nonexistent/none", LIVE_PRIVATE), 0));
	unowned_forget();
}

TestSuite(unowned, .init = set_up, .timeout = 60);

static const struct live_unowned *in_file(unsigned index)
{
	return &lives[index].header->unowned;
}

Test(unowned, what_was_before_the_live_file_is_in_it)
{
	unowned_count(100);
	unowned_count(200);
	unowned_adopt(&lives[0]);
	cr_expect(eq(u64, in_file(0)->count, 2));
	unowned_count(300);
	cr_expect(eq(u64, in_file(0)->count, 3));
	cr_expect(eq(u64, in_file(0)->first_ticks, 100));
	cr_expect(eq(u64, in_file(0)->last_ticks, 300));
}

Test(unowned, stays_there_until_it_is_told)
{
	uint64_t first = 7, last = 7;
	unowned_adopt(&lives[0]);
	cr_expect(eq(u64, unowned_take(&first, &last), 0));
	cr_expect(eq(u64, first, 7));
	unowned_count(100);
	unowned_count(200);
	cr_expect(eq(u64, unowned_take(&first, &last), 2));
	cr_expect(eq(u64, first, 100));
	cr_expect(eq(u64, last, 200));
	cr_expect(eq(u64, unowned_take(&first, &last), 0));
	cr_expect(eq(u64, in_file(0)->count, 2));
	unowned_count(300);
	unowned_tell();
	cr_expect(eq(u64, in_file(0)->count, 1));
	cr_expect(eq(u64, unowned_take(&first, &last), 1));
	cr_expect(eq(u64, last, 300));
	unowned_tell();
	cr_expect(eq(u64, in_file(0)->count, 0));
}

/* A recording that goes on does so in another file, with what the first one has taken. */
Test(unowned, goes_along_into_the_next_live_file)
{
	uint64_t first, last;
	unowned_adopt(&lives[0]);
	unowned_count(100);
	unowned_count(200);
	cr_expect(eq(u64, unowned_take(&first, &last), 2));
	unowned_count(300);
	unowned_adopt(&lives[1]);
	cr_expect(eq(u64, in_file(0)->count, 0));
	cr_expect(eq(u64, in_file(1)->count, 3));
	cr_expect(eq(u64, unowned_take(&first, &last), 1));
	unowned_tell();
	cr_expect(eq(u64, in_file(1)->count, 0));
	unowned_adopt(&lives[1]);
	unowned_count(400);
	cr_expect(eq(u64, unowned_take(&first, &last), 1));
}

Test(unowned, of_a_parent_is_not_the_child_s)
{
	uint64_t first, last;
	unowned_adopt(&lives[0]);
	unowned_count(100);
	unowned_forget();
	unowned_count(200);
	unowned_count(300);
	cr_expect(eq(u64, in_file(0)->count, 1));
	unowned_adopt(&lives[1]);
	cr_expect(eq(u64, in_file(0)->count, 1));
	cr_expect(eq(u64, unowned_take(&first, &last), 2));
	cr_expect(eq(u64, first, 200));
}

static void *count_many(void *unused)
{
	for (unsigned i = 0; i < EACH; i++)
		unowned_count(1000 + i);
	return unused;
}

/* Files that begin while threads count: each event is in one of them at the end, once. */
Test(unowned, none_is_missing_or_twice_when_threads_count_meanwhile)
{
	pthread_t made[THREADS];
	uint64_t first, last, taken = 0;
	for (unsigned i = 0; i < THREADS; i++)
		cr_assert(eq(int, pthread_create(&made[i], NULL, count_many, NULL), 0));
	for (unsigned i = 0; i < 2000; i++) {
		unowned_adopt(&lives[i % 2]);
		taken += unowned_take(&first, &last);
		unowned_tell();
	}
	for (unsigned i = 0; i < THREADS; i++)
		(void)pthread_join(made[i], NULL);
	taken += unowned_take(&first, &last);
	unowned_tell();
	cr_expect(eq(u64, taken, (uint64_t)THREADS * EACH));
	cr_expect(eq(u64, in_file(0)->count + in_file(1)->count, 0));
}
