/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "preload/cupti/turn.h"

#define WELL_AFTER_MS (CUPTI_TURN_PAUSE_MS + 400u)
#define RUNTIME       5

static uint32_t yields, resumes, off_calls, overlaps;
static uint32_t ours = 1; /* the interface, as the true user of it would have it */
static char last_who[64];

static void yield(const char *who)
{
	__atomic_fetch_add(
		&overlaps, __atomic_exchange_n(&ours, 0, __ATOMIC_ACQ_REL) != 1, __ATOMIC_RELAXED);
	strncpy(last_who, who, sizeof(last_who) - 1);
	__atomic_fetch_add(&yields, 1, __ATOMIC_RELEASE);
}

static void resume(void)
{
	__atomic_fetch_add(
		&overlaps, __atomic_exchange_n(&ours, 1, __ATOMIC_ACQ_REL) != 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&resumes, 1, __ATOMIC_RELEASE);
}

static void keep_off(void)
{
	__atomic_fetch_add(&off_calls, 1, __ATOMIC_RELEASE);
}

static void begin(void)
{
	static const struct cupti_turn_options options = {yield, resume, keep_off};
	cupti_turn_init(&options);
}

static void pause_ms(unsigned ms)
{
	const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
	(void)nanosleep(&time, NULL);
}

static void expect(uint32_t yielded, uint32_t resumed)
{
	cr_assert(eq(u32, __atomic_load_n(&yields, __ATOMIC_ACQUIRE), yielded));
	cr_assert(eq(u32, __atomic_load_n(&resumes, __ATOMIC_ACQUIRE), resumed));
	cr_assert(eq(u32, __atomic_load_n(&overlaps, __ATOMIC_RELAXED), 0));
}

static void wait_for_resume(uint32_t count)
{
	for (unsigned i = 0; i < 3000 && __atomic_load_n(&resumes, __ATOMIC_ACQUIRE) < count; i++)
		pause_ms(1);
}

Test(cupti_turn, does_nothing_before_it_is_wanted)
{
	cr_assert(not(cupti_turn_take("a tool")));
	cupti_turn_left();
	expect(0, 0);
}

Test(cupti_turn, ends_some_time_after_the_flush, .init = begin)
{
	cr_assert(cupti_turn_take("a tool"));
	cr_assert(not(cupti_turn_take("a tool")));
	expect(1, 0);
	cr_assert(eq(int, strcmp(last_who, "a tool"), 0));
	cupti_turn_hold(CUPTI_HELD_KIND, 10, true);
	cupti_turn_left(); /* a flush in the middle */
	pause_ms(WELL_AFTER_MS);
	expect(1, 0);
	cupti_turn_hold(CUPTI_HELD_KIND, 10, false);
	pause_ms(WELL_AFTER_MS);
	expect(1, 0);
	cupti_turn_left();
	expect(1, 0);
	wait_for_resume(1);
	expect(1, 1);
	cr_assert(eq(u32, __atomic_load_n(&off_calls, __ATOMIC_RELAXED), 1));
	cr_assert(cupti_turn_take("another"));
	expect(2, 1);
}

Test(cupti_turn, begins_again_within_the_pause, .init = begin)
{
	cr_assert(cupti_turn_take("a tool"));
	cupti_turn_left();
	cr_assert(not(cupti_turn_take("a tool")));
	cupti_turn_hold(CUPTI_HELD_KIND, 1, true);
	pause_ms(WELL_AFTER_MS);
	expect(1, 0);
	cupti_turn_hold(CUPTI_HELD_KIND, 1, false);
	cupti_turn_left();
	wait_for_resume(1);
	expect(1, 1);
}

Test(cupti_turn, everything_that_is_on_counts, .init = begin)
{
	static const struct {
		enum cupti_held what;
		uint64_t number;
	} held[] = {{CUPTI_HELD_KIND, 0}, {CUPTI_HELD_KIND, 127}, {CUPTI_HELD_RUNTIME_CALL, 211},
		{CUPTI_HELD_DRIVER_CALL, 1}, {CUPTI_HELD_OTHER, 1ull << 63}};
	cr_assert(cupti_turn_take("a tool"));
	for (unsigned i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		cupti_turn_hold(held[i].what, held[i].number, true);
		cupti_turn_hold(held[i].what, held[i].number, true);
		cupti_turn_left();
		pause_ms(CUPTI_TURN_PAUSE_MS + 100);
		expect(1, 0);
		cupti_turn_hold(held[i].what, held[i].number, false);
	}
	cupti_turn_hold(CUPTI_HELD_RUNTIME_CALL, 300, true);
	cupti_turn_hold(CUPTI_HELD_KIND, RUNTIME, false); /* and all its calls with it */
	cupti_turn_left();
	wait_for_resume(1);
	expect(1, 1);
}

Test(cupti_turn, what_cannot_be_kept_in_mind_is_on_until_the_end, .init = begin)
{
	cr_assert(cupti_turn_take("a tool"));
	cupti_turn_hold(CUPTI_HELD_KIND, 100000, true);
	cupti_turn_hold(CUPTI_HELD_KIND, 100000, false);
	cupti_turn_left();
	pause_ms(WELL_AFTER_MS);
	expect(1, 0);
	cupti_turn_drop_all();
	cupti_turn_left();
	wait_for_resume(1);
	expect(1, 1);
}

Test(cupti_turn, is_over_in_a_forked_child, .init = begin)
{
	cr_assert(cupti_turn_take("a tool"));
	cupti_turn_after_fork();
	cupti_turn_left();
	cr_assert(not(cupti_turn_take("a tool")));
	pause_ms(WELL_AFTER_MS);
	expect(1, 0);
}

#define ROUNDS 40
static uint32_t intruders;

static void *use(void *argument)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		(void)cupti_turn_take("a tool");
		cupti_turn_hold(CUPTI_HELD_OTHER, (uintptr_t)argument, true);
		pause_ms(i % 7);
		intruders += __atomic_load_n(&ours, __ATOMIC_ACQUIRE) != 0;
		cupti_turn_hold(CUPTI_HELD_OTHER, (uintptr_t)argument, false);
		cupti_turn_left();
		pause_ms(i % 5 == 0 ? CUPTI_TURN_PAUSE_MS - 2 + i % 4 : 1);
	}
	return NULL;
}

Test(cupti_turn, one_thread_takes_it_while_we_take_it_back, .init = begin, .timeout = 120)
{
	pthread_t thread;
	cr_assert(eq(int, pthread_create(&thread, NULL, use, (void *)(uintptr_t)8), 0));
	cr_assert(eq(int, pthread_join(thread, NULL), 0));
	wait_for_resume(yields);
	expect(yields, yields);
	cr_assert(gt(u32, yields, 0));
	cr_assert(eq(u32, intruders, 0));
}
