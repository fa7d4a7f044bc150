/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <time.h>

#include "collector/buffer/pause.h"
#include "collector/drain/still.h"
#include "collector/format/fields.h"

#define MS 1000000ull

static void wait_ms(unsigned ms)
{
	const struct timespec time = {.tv_nsec = (long)(ms * MS)};
	(void)nanosleep(&time, NULL);
}

static uint64_t cpu_ns(void)
{
	struct timespec time;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

static uint64_t delayed_ns;

static uint64_t delayed(void)
{
	return delayed_ns;
}

/* A sleep from one time to the other that was to last 10 ms: the process has not run meanwhile. */
static bool slept(struct still *still, uint64_t from_ms, uint64_t to_ms, struct record *ret_mark)
{
	still_watch(still, from_ms * MS);
	return still_look(still, to_ms * MS, 10 * MS, ret_mark);
}

Test(still, a_sleep_far_longer_than_wanted_in_which_nothing_ran)
{
	struct still still = {0};
	struct record mark;
	still_begin(&still, delayed);
	cr_expect(not(still_look(&still, 1000 * MS, 10 * MS, &mark)), "it has not slept");
	cr_expect(not(slept(&still, 1000, 1015, &mark)), "late by a little");
	cr_expect(not(slept(&still, 1015, 990, &mark)), "a clock that goes back");
	cr_assert(slept(&still, 990, 1600, &mark));
	cr_expect(eq(u64, mark.begin, 990 * MS));
	cr_expect(eq(u64, mark.end, 1600 * MS));
	cr_expect(eq(int, mark.kind, RECORD_MARK));
	cr_expect(eq(u32, record_MARK_what(&mark), MARK_STOPPED));
	still_watch(&still, 1600 * MS);
	cr_expect(not(still_look(&still, 2200 * MS, 500 * MS, &mark)), "it was to be long");
	still_watch(&still, 2200 * MS);
	still_begin(&still, delayed);
	cr_expect(not(still_look(&still, 3000 * MS, 10 * MS, &mark)), "another session");
}

Test(still, work_of_the_thread_with_files_is_no_stop)
{
	struct still still = {0};
	struct record mark;
	still_begin(&still, delayed);
	cr_expect(not(slept(&still, 1000, 1010, &mark)));
	cr_expect(not(still_look(&still, 1600 * MS, 0, &mark)), "nothing is watched");
	still_watch(&still, 1600 * MS);
	still_ignore(&still);
	cr_expect(not(still_look(&still, 2200 * MS, 0, &mark)), "it wrote a file meanwhile");
}

Test(still, a_thread_that_waits_for_a_processor_does_not_say_that_the_process_was_stopped)
{
	struct still still = {0};
	struct record mark;
	still_begin(&still, delayed);
	still_watch(&still, 1000 * MS);
	delayed_ns += 400 * MS;
	cr_expect(not(still_look(&still, 1600 * MS, 10 * MS, &mark)), "400 of 590 ms");
	still_watch(&still, 2000 * MS);
	delayed_ns += 200 * MS;
	cr_expect(still_look(&still, 2600 * MS, 10 * MS, &mark), "stopped, then a busy machine");
	delayed_ns = UINT64_MAX;
	cr_expect(slept(&still, 3000, 3600, &mark), "nobody counts that");
}

Test(still, a_process_that_worked_was_not_stopped)
{
	struct still still = {0};
	struct record mark;
	still_begin(&still, delayed);
	still_watch(&still, 1000 * MS);
	for (uint64_t ran = 0, from = cpu_ns(); ran < 90 * MS; ran = cpu_ns() - from)
		;
	cr_expect(not(still_look(&still, 1600 * MS, 10 * MS, &mark)));
}

Test(still, stretches_without_recording_are_told_once_when_they_end)
{
	struct still still = {0};
	struct record mark;
	struct pause_change change;
	pause_note(false);
	pause_note(true);
	while (pause_next(&change))
		;
	cr_expect(not(still_next(&still, change.ns + 5, false, &mark)), "it lasts");
	wait_ms(2);
	pause_note(false);
	while (pause_next(&change))
		;
	cr_assert(still_next(&still, change.ns + 5, false, &mark));
	cr_expect(eq(u32, record_MARK_what(&mark), MARK_OFF));
	cr_expect(eq(u64, mark.end, change.ns));
	cr_expect(ge(u64, mark.end - mark.begin, 2 * MS));
	cr_expect(not(still_next(&still, change.ns + 5, true, &mark)));
	pause_note(true);
	while (pause_next(&change))
		;
	cr_assert(still_next(&still, change.ns + 7, true, &mark), "the trace ends meanwhile");
	cr_expect(eq(u64, mark.end - mark.begin, 7));
	cr_expect(not(still_next(&still, change.ns + 9, true, &mark)));
}

/* The drain thread has not told them for a while: the oldest are gone, the others are not. */
Test(still, stretches_of_which_there_were_too_many_do_not_keep_later_ones_back)
{
	struct still still = {0};
	struct record mark;
	struct pause_change change;
	unsigned told = 0;
	pause_note(false);
	for (unsigned i = 0; i < PAUSE_LIMIT + 44; i++) {
		pause_note(true);
		pause_note(false);
		while (pause_next(&change))
			;
	}
	while (still_next(&still, change.ns + 5, false, &mark))
		told++;
	cr_expect(eq(u32, told, PAUSE_LIMIT));
	cr_expect(eq(u64, mark.end, change.ns));
}
