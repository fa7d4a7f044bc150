/* SPDX-License-Identifier: MIT */
/* What is delivered belongs into the trace when its call was made while recording was on. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "collector/base/clock.h"
#include "collector/buffer/pause.h"
#include "collector/gpu/pause.h"

#define NOTERS 4u

static uint64_t now_after_ns(void)
{
	const struct timespec moment = {0, 1000};
	(void)nanosleep(&moment, NULL);
	uint64_t ns = clock_monotonic_ns();
	(void)nanosleep(&moment, NULL);
	return ns;
}

static void take_all(void)
{
	struct pause_change change;
	while (pause_next(&change))
		;
}

static bool wants(enum record_kind kind, uint32_t correlation, uint64_t begin_ns)
{
	const struct record record = {.kind = kind, .place = correlation, .begin = begin_ns};
	return gpu_pause_wants(&record);
}

Test(pause, covers_what_was_off)
{
	uint64_t times[5];
	for (unsigned i = 0; i < 5; i++) {
		times[i] = now_after_ns();
		errno = EBADF;
		pause_note(i % 2 == 0);
		pause_note(i % 2 == 0); /* says nothing new */
		cr_assert(eq(int, errno, EBADF));
	}
	cr_assert(eq(int, pause_covers(times[1]), 0), "not taken yet");
	struct pause_change change;
	for (unsigned i = 0; i < 5; i++) {
		cr_assert(pause_next(&change));
		cr_assert(eq(int, change.off, i % 2 == 0));
		cr_assert(ge(u64, change.ns, times[i]));
	}
	cr_assert(not(pause_next(&change)));
	for (unsigned i = 0; i < 5; i++)
		cr_assert(eq(int, pause_covers(times[i]), i % 2 == 1));
	cr_assert(pause_covers(now_after_ns()));
}

Test(pause, too_many_end_as_the_last)
{
	for (unsigned i = 0; i <= 2 * PAUSE_LIMIT; i++)
		pause_note(i % 2 == 0);
	take_all();
	cr_assert(pause_covers(now_after_ns()), "the last one was off");
	pause_note(false);
	take_all();
	cr_assert(not(pause_covers(now_after_ns())));
}

static void *note_many(void *unused)
{
	for (unsigned i = 0; i < 20000; i++)
		pause_note(i % 2 == 0);
	return unused;
}

Test(pause, threads_may_note_at_once)
{
	pthread_t threads[NOTERS];
	for (unsigned i = 0; i < NOTERS; i++)
		cr_assert(eq(int, pthread_create(&threads[i], NULL, note_many, NULL), 0));
	for (unsigned i = 0; i < 2000; i++)
		take_all();
	for (unsigned i = 0; i < NOTERS; i++)
		(void)pthread_join(threads[i], NULL);
	pause_note(false);
	take_all();
	pause_note(true);
	take_all();
	uint64_t off_ns = now_after_ns();
	pause_note(false);
	take_all();
	cr_assert(pause_covers(off_ns));
	cr_assert(not(pause_covers(now_after_ns())));
}

Test(gpu_pause, the_call_decides)
{
	uint64_t on_ns = now_after_ns();
	pause_note(true);
	uint64_t off_ns = now_after_ns();
	pause_note(false);
	uint64_t later_ns = now_after_ns();
	take_all();
	cr_assert(wants(RECORD_DEVICE_KERNEL, 1, off_ns), "nobody said that there are pauses");
	gpu_pause_expect(true);
	cr_assert(wants(RECORD_DEVICE_API, 1, on_ns));
	cr_assert(not(wants(RECORD_DEVICE_API, 2, off_ns)));
	cr_assert(wants(RECORD_DEVICE_KERNEL, 1, off_ns), "late, but asked for before");
	cr_assert(not(wants(RECORD_DEVICE_COPY, 2, later_ns)), "asked for when it was off");
	cr_assert(not(wants(RECORD_DEVICE_SET, 2, later_ns)), "a graph has several");
	cr_assert(wants(RECORD_DEVICE_KERNEL, 3, later_ns), "its call is not known: its own time");
	cr_assert(not(wants(RECORD_DEVICE_KERNEL, 4, off_ns)));
	cr_assert(not(wants(RECORD_DEVICE_SYNC, 0, off_ns)));
	cr_assert(not(wants(RECORD_OVERHEAD, 1, off_ns)), "has no correlation");
	cr_assert(wants(RECORD_DEVICE_KERNEL, 2 + (1u << 16), later_ns), "another call");
}
