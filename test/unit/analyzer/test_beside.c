/* SPDX-License-Identifier: MIT */
/*
 * Records that a second thread takes: all of them, in their order, each as if it had been taken at
 * once, however they come and whenever that ends.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/beside/beside.h"
#include "collector/base/processors.h"

#define GIVEN 60000u
#define MOST  300u /* of a batch */
#define AHEAD 16384u

/* What the sink has seen; given and known are the caller's and change under its eyes. */
struct seen {
	uint64_t taken, wrong, fails_at;
	unsigned known; /* what a lookup answers */
	unsigned pause_every;
};

static uint32_t thread_of(uint64_t batch)
{
	return (uint32_t)(batch * 2654435761u >> 7) % 3;
}

/* The thread of a record, what was known when it was given, and its number are in the record. */
static int take(
	void *context, unsigned what, uint32_t thread, const struct record *records, size_t count)
{
	struct seen *seen = context;
	uint64_t taken = seen->taken;
	for (size_t i = 0; i < count && (seen->fails_at == 0 || taken < seen->fails_at); i++)
		seen->wrong += records[i].a != taken++ || records[i].name != thread ||
			       records[i].c != seen->known || what != thread % 2;
	__atomic_store_n(&seen->taken, taken, __ATOMIC_RELAXED); /* the caller may look */
	if (seen->fails_at != 0 && taken == seen->fails_at)
		return -5;
	if (seen->pause_every != 0 && taken / MOST % seen->pause_every == 0)
		(void)usleep(1);
	return 0;
}

static struct beside *new_beside(struct seen *seen)
{
	const struct beside_sink sink = {seen, take};
	struct beside *beside = beside_new(&sink);
	cr_assert(beside != NULL || processors_allowed() == 1);
	if (beside == NULL)
		cr_skip_test("one processor");
	return beside;
}

/* Records from a number on, of batches from 1 to most long. */
static int give(
	struct beside *beside, struct seen *seen, uint64_t from, uint64_t until, unsigned most)
{
	struct record records[MOST] = {{0}};
	int err = 0;
	for (uint64_t batch = from; from < until && err == 0; batch++) {
		uint32_t thread = thread_of(batch);
		unsigned count = 1 + (unsigned)(batch * 40503u >> 3) % most;
		if (count > until - from)
			count = (unsigned)(until - from);
		for (unsigned i = 0; i < count; i++)
			records[i] =
				(struct record){.a = from + i, .name = thread, .c = seen->known};
		err = beside_give(beside, thread % 2, thread, records, count);
		from += count;
	}
	return err;
}

Test(beside, takes_all_in_the_order_given)
{
	for (unsigned most = 1; most <= MOST; most = most * 3 + 1) {
		struct seen seen = {0};
		struct beside *beside = new_beside(&seen);
		cr_assert(eq(int, give(beside, &seen, 0, GIVEN, most), 0));
		cr_assert(eq(int, beside_settle(beside), 0));
		cr_assert(eq(u64, seen.taken, GIVEN));
		cr_assert(eq(u64, seen.wrong, 0));
		beside_free(beside);
	}
}

/* What it looks up changes without a lock: a race would be wrong, and be seen by a sanitizer. */
Test(beside, has_taken_all_when_settled)
{
	for (unsigned every = 1; every < 20000; every = every * 5 + 1) {
		struct seen seen = {.pause_every = 64};
		struct beside *beside = new_beside(&seen);
		for (uint64_t from = 0; from < GIVEN; from += every) {
			if (from % (97 * every) == 0)
				(void)usleep(50); /* the thread may be asleep or not */
			cr_assert(eq(int, give(beside, &seen, from, from + every, 64), 0));
			cr_assert(eq(int, beside_settle(beside), 0));
			cr_assert(eq(u64, seen.taken, from + every));
			seen.known++;
		}
		cr_assert(eq(u64, seen.wrong, 0));
		beside_free(beside);
	}
}

Test(beside, lets_the_caller_wait_for_a_slow_one)
{
	struct seen seen = {.pause_every = 1};
	struct beside *beside = new_beside(&seen);
	for (uint64_t from = 0; from < GIVEN; from += MOST) {
		cr_assert(eq(int, give(beside, &seen, from, from + MOST, MOST), 0));
		uint64_t taken = __atomic_load_n(&seen.taken, __ATOMIC_RELAXED);
		cr_assert(from + MOST - taken <= AHEAD);
	}
	cr_assert(eq(int, beside_settle(beside), 0));
	cr_assert(eq(u64, seen.taken, GIVEN));
	cr_assert(eq(u64, seen.wrong, 0));
	beside_free(beside);
}

Test(beside, is_over_with_an_error)
{
	for (uint64_t at = 1; at < GIVEN; at = at * 7 + 3) {
		struct seen seen = {.fails_at = at};
		struct beside *beside = new_beside(&seen);
		int err = give(beside, &seen, 0, GIVEN, MOST);
		cr_assert(err == 0 || err == -5);
		cr_assert(eq(int, beside_settle(beside), -5));
		cr_assert(eq(int, beside_settle(beside), -5));
		cr_assert(eq(u64, seen.taken, at));
		cr_assert(eq(u64, seen.wrong, 0));
		beside_free(beside);
	}
}

Test(beside, can_end_at_any_time)
{
	for (uint64_t given = 0; given < GIVEN; given = given * 2 + 1) {
		struct seen seen = {0};
		struct beside *beside = new_beside(&seen);
		cr_assert(eq(int, give(beside, &seen, 0, given, MOST), 0));
		beside_free(beside);
		cr_assert(seen.taken <= given);
		cr_assert(eq(u64, seen.wrong, 0));
	}
	beside_free(NULL);
}

Test(beside, settles_nothing)
{
	struct seen seen = {0};
	struct beside *beside = new_beside(&seen);
	cr_assert(eq(int, beside_settle(beside), 0));
	cr_assert(eq(int, beside_give(beside, 1, 1, NULL, 0), 0));
	cr_assert(eq(int, beside_settle(beside), 0));
	cr_assert(eq(u64, seen.taken, 0));
	beside_free(beside);
}
