/* SPDX-License-Identifier: MIT */
/* For whom a rank waits in its collectives: ranks whose times are set by hand. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/ranks/late.h"
#include "analyzer/ranks/meets.h"

#define RANKS 3u
#define HOST  7u

static struct run_meets meets;

static void setup(void)
{
	for (uint64_t pid = 0; pid < RANKS; pid++) {
		const struct run_rank rank = {.identity = 100 + pid, .host = HOST};
		cr_assert(eq(int, vec_push(&meets.ranks, rank), 0));
	}
}

static void tear_down(void)
{
	meets_release(&meets);
	meets = (struct run_meets){0};
}

TestSuite(late, .init = setup, .fini = tear_down);

/* The ranks' kernels of a collective begin then; 0: not known. */
static void collective(uint32_t step, uint32_t number, const uint64_t times[RANKS])
{
	for (uint16_t i = 0; i < RANKS; i++) {
		struct run_rank *rank = &meets.ranks.items[i];
		const struct collectives_arrival arrival = {.number = number,
			.step = step,
			.host_ns = 1000 * number + 10 * i,
			.device_ns = times[i],
			.rank = i,
			.ranks = RANKS};
		cr_assert(eq(int, vec_push(&rank->arrivals, arrival), 0));
		cr_assert(eq(int, vec_push(&rank->communicators, 5), 0));
	}
}

static struct late waits_of(uint64_t pid)
{
	struct late late;
	cr_assert(eq(int, late_of(&meets, pid, 1, 3, &late), 0));
	return late;
}

Test(late, waits_of_steady_steps_are_of_the_rank_that_comes_last)
{
	collective(0, 1, (uint64_t[]){100, 900, 100}); /* a warm-up */
	collective(1, 2, (uint64_t[]){1000, 1400, 1100});
	collective(1, 3, (uint64_t[]){1500, 1500, 1500});
	collective(2, 4, (uint64_t[]){2000, 2100, 2600});
	collective(2, 5, (uint64_t[]){3000, 3500, 3000});
	collective(3, 6, (uint64_t[]){4000, 4900, 4000}); /* beyond them */
	struct late late = waits_of(100);
	cr_assert(eq(u64, late.steps, 2));
	cr_assert(eq(u64, late.met, 4));
	cr_assert(eq(u64, late.waited_ns, 400 + 600 + 500));
	cr_assert(eq(u32, late.rank, 1));
	cr_assert(eq(u64, late.identity, 101));
	cr_assert(eq(u64, late.count, 2));
	cr_assert(eq(u64, late.ns, 900));
	cr_assert(eq(u64, late.next_ns, 300 + 500), "rank 2 is not early either");
	late = waits_of(101);
	cr_assert(eq(u64, late.own_count, 2));
	cr_assert(eq(u64, late.own_ns, 300 + 500));
	cr_assert(eq(u32, late.rank, 2));
	cr_assert(eq(u64, late.ns, 500));
}

Test(late, waits_at_the_same_time_count_once)
{
	collective(1, 1, (uint64_t[]){1000, 2000, 1000});
	collective(1, 2, (uint64_t[]){1100, 2100, 1100});
	collective(1, 3, (uint64_t[]){1200, 1300, 1200});
	struct late late = waits_of(100);
	cr_assert(eq(u64, late.waited_ns, 1100));
	cr_assert(eq(u64, late.ns, 1100));
	cr_assert(eq(u64, late.count, 3));
}

Test(late, ranks_that_come_together_wait_for_nobody)
{
	collective(1, 1, (uint64_t[]){1000, 1000, 1000});
	collective(2, 2, (uint64_t[]){2000, 2000, 2000});
	struct late late = waits_of(102);
	cr_assert(eq(u64, late.met, 2));
	cr_assert(eq(u64, late.waited_ns, 0));
	cr_assert(eq(u64, late.ns, 0));
}

Test(late, nothing_is_said_without_the_devices_times_or_with_a_rank_missing)
{
	struct late late = waits_of(100);
	cr_assert(eq(u64, late.met, 0));
	collective(1, 1, (uint64_t[]){1000, 0, 2000});
	late = waits_of(100);
	cr_assert(eq(u64, late.met, 0));
	collective(1, 2, (uint64_t[]){1000, 9000, 2000});
	struct run_rank *last = &meets.ranks.items[RANKS - 1];
	last->arrivals.count--;
	last->communicators.count--;
	late = waits_of(100);
	cr_assert(eq(u64, late.met, 0));
	cr_assert(eq(u64, waits_of(4711).met, 0), "no such process");
}

Test(late, what_came_before_steps_were_counted_anew_is_of_no_step)
{
	collective(COLLECTIVES_NO_STEP, 1, (uint64_t[]){1000, 5000, 2000});
	cr_assert(eq(u64, waits_of(100).met, 0));
}
