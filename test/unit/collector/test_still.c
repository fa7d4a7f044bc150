/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
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

Test(still, a_turn_far_longer_than_wanted_in_which_nothing_ran)
{
	struct still still = {0};
	struct record mark;
	cr_expect(not(still_look(&still, 1000 * MS, 10 * MS, &mark)), "the first look");
	wait_ms(20);
	cr_expect(not(still_look(&still, 1015 * MS, 10 * MS, &mark)), "late by a little");
	cr_expect(not(still_look(&still, 990 * MS, 10 * MS, &mark)), "a clock that goes back");
	cr_assert(still_look(&still, 1600 * MS, 10 * MS, &mark));
	cr_expect(eq(u64, mark.begin, 990 * MS));
	cr_expect(eq(u64, mark.end, 1600 * MS));
	cr_expect(eq(int, mark.kind, RECORD_MARK));
	cr_expect(eq(u32, record_MARK_what(&mark), MARK_STOPPED));
	cr_expect(not(still_look(&still, 2200 * MS, 500 * MS, &mark)), "it was to be long");
}

Test(still, a_process_that_worked_was_not_stopped)
{
	struct still still = {0};
	struct record mark;
	(void)still_look(&still, 1000 * MS, 10 * MS, &mark);
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
