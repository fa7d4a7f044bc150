/* SPDX-License-Identifier: MIT */
/*
 * How often the drain thread looks when nothing happens, when the clock is measured again, and
 * which times lie in a pause.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/buffer/pause.h"
#include "collector/buffer/request.h"
#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/drain/slew.h"

static char parent[64];

static void begin(void)
{
	static char folder[96];
	(void)snprintf(parent, sizeof(parent), "/tmp/libtrace-back-off-XXXXXX");
	cr_assert(mkdtemp(parent) != NULL);
	(void)snprintf(folder, sizeof(folder), "%s/run", parent);
	const struct collector_options options = {.out_dir = folder,
		.ring_bytes = 1u << 20,
		.compression = 1,
		.rank = -1,
		.world_size = -1,
		.log_level = 1,
		.without_samples = true};
	cr_assert(eq(int, collector_configure(&options), 0));
	collector_enable(true);
}

static void end(void)
{
	char command[96];
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", parent);
	cr_assert(eq(int, system(command), 0));
}

static void record(void)
{
	struct record *slot = collector_reserve();
	cr_assert(slot != NULL);
	uint64_t now = clock_ticks();
	*slot = (struct record){.begin = now, .end = now, .kind = RECORD_CALL};
	collector_commit();
}

#define NAPS_KEPT 4096u
#define FIRST_NS  10000000u
#define SHORT_NS  40000000u
#define LONG_NS   320000000u

/* How long the drain thread wanted to sleep each time. How long it did depends on the machine. */
static uint64_t naps_ns[NAPS_KEPT];
static unsigned nap_count;

static unsigned naps(void)
{
	return __atomic_load_n(&nap_count, __ATOMIC_ACQUIRE);
}

static long call_kernel(long number, const long *arguments)
{
	static long (*next)(long, ...);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		arguments[5]);
}

/* In the place of libc's: all waits of the drain thread come by here. */
long syscall(long number, ...)
{
	long arguments[6];
	va_list list;
	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	const struct timespec *timeout = (const struct timespec *)arguments[3];
	if (number == SYS_futex && arguments[1] == FUTEX_WAIT_PRIVATE && timeout != NULL &&
		request_is_drain()) {
		naps_ns[naps() % NAPS_KEPT] =
			(uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_nsec;
		__atomic_store_n(&nap_count, naps() + 1, __ATOMIC_RELEASE);
	}
	return call_kernel(number, arguments);
}

/* Until it lies down for the time that is given, after so many naps. */
static unsigned wait_for(unsigned from, uint64_t least_ns, uint64_t most_ns)
{
	unsigned seen = from;
	for (;; (void)usleep(500))
		for (; seen < naps(); seen++)
			if (naps_ns[seen % NAPS_KEPT] >= least_ns &&
				naps_ns[seen % NAPS_KEPT] <= most_ns)
				return seen;
}

/*
 * 10 ms at first, 40 ms after something has happened, then twice as long each time up to 320 ms:
 * the fifth nap is the first one of more than 160 ms. One may be missing, where it was kept from
 * its processor when it was about to lie down.
 */
Test(back_off, an_idle_thread_looks_less_and_less_often, .init = begin, .fini = end, .timeout = 60)
{
	record();
	unsigned first = wait_for(0, 0, SHORT_NS);
	/* the file is there soon after the first event */
	cr_expect(le(u64, naps_ns[0], FIRST_NS));
	unsigned last = wait_for(first, LONG_NS / 2 + 1, LONG_NS);
	cr_expect(ge(uint, last - first, 3), "%u naps", last - first);
	/* and stays so */
	(void)wait_for(last + 1, LONG_NS / 2 + 1, LONG_NS);
	for (unsigned i = 0; i < naps(); i++)
		cr_expect(le(u64, naps_ns[i], LONG_NS), "nap %u", i);
	collector_stop("exit");
}

/*
 * After an event, whenever it comes, it looks again within 40 ms: the nap in which the event came
 * may have been long, and the one after it where the event came while it looked.
 */
Test(back_off, a_busy_thread_looks_often, .init = begin, .fini = end, .timeout = 60)
{
	record();
	(void)wait_for(0, LONG_NS / 2 + 1, LONG_NS);
	for (unsigned i = 0; i < 20; i++) {
		unsigned before = naps();
		record();
		unsigned next = wait_for(before, 0, SHORT_NS);
		cr_expect(le(uint, next - before, 1), "%u long naps after an event", next - before);
	}
	collector_stop("exit");
}

/* But not all the time: 25 times per second at most, however much happens. */
Test(back_off, a_busy_thread_rests, .init = begin, .fini = end, .timeout = 60)
{
	const unsigned count = 20;
	unsigned rested = 0;
	record();
	unsigned first = wait_for(0, 0, UINT64_MAX);
	for (; naps() < first + count; (void)usleep(1000))
		record();
	for (unsigned i = 0; i < count; i++)
		rested += naps_ns[first + i] > SHORT_NS / 2;
	cr_expect(gt(uint, rested, count / 2), "%u of %u", rested, count);
	collector_stop("exit");
}

/* A counter of one tick per ns: the clock is measured again after 10 ms, 20 ms, ... 1 s. */
Test(slew, is_measured_less_and_less_often)
{
	static const uint64_t intervals_ms[] = {10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000};
	static struct slew slew;
	struct clock_triple triple = {.ticks = 1000, .monotonic_ns = 5000};
	clock_use_tsc = true;
	slew_init(&slew, &triple);
	cr_expect(slew_is_due(&slew, triple.ticks)); /* the first time at once */
	triple.ticks += 1000000;
	triple.monotonic_ns += 1000000;
	cr_assert(slew_update(&slew, &triple));
	for (size_t i = 0; i < sizeof(intervals_ms) / sizeof(intervals_ms[0]); i++) {
		uint64_t interval = intervals_ms[i] * 1000000;
		cr_expect(not(slew_is_due(&slew, triple.ticks + interval - 1)), "interval %zu", i);
		triple.ticks += interval;
		triple.monotonic_ns += interval;
		cr_expect(slew_is_due(&slew, triple.ticks), "interval %zu", i);
		cr_expect(slew_update(&slew, &triple), "interval %zu", i);
		cr_expect(eq(u64, slew_ns(&slew, triple.ticks), triple.monotonic_ns));
	}
	/* the same measurement, or one that stands still, is none */
	cr_expect(not(slew_update(&slew, &triple)));
	triple.ticks += 2000000000;
	cr_expect(not(slew_update(&slew, &triple)));
}

/* A jump of the clock forward is taken at once, up to 10 ms of it bit by bit. */
Test(slew, follows_a_jump_and_leans_against_drift)
{
	static const struct {
		int64_t error_ns;
		bool jumps;
	} cases[] = {{0, false}, {10000000, false}, {10000001, true}, {-10000001, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct slew slew;
		struct clock_triple triple = {.ticks = 1000, .monotonic_ns = 1000000000};
		clock_use_tsc = true;
		slew_init(&slew, &triple);
		triple.ticks += 50000000;
		triple.monotonic_ns += 50000000;
		cr_assert(slew_update(&slew, &triple));
		triple.ticks += 50000000;
		triple.monotonic_ns += 50000000;
		uint64_t before = triple.monotonic_ns;
		triple.monotonic_ns += (uint64_t)cases[i].error_ns;
		cr_assert(slew_update(&slew, &triple));
		cr_expect(eq(u64, slew_ns(&slew, triple.ticks),
				  cases[i].jumps ? triple.monotonic_ns : before),
			"case %zu", i);
	}
}

Test(pause, reaches_from_its_begin_up_to_its_end)
{
	struct pause_change off, on, more;
	pause_note(true);
	(void)usleep(1000);
	pause_note(false);
	cr_expect(not(pause_covers(clock_monotonic_ns())));
	cr_assert(pause_next(&off));
	cr_expect(off.off);
	cr_expect(pause_covers(off.ns + 1000000000)); /* no end yet */
	cr_assert(pause_next(&on));
	cr_expect(not(on.off));
	cr_expect(not(pause_next(&more)));
	cr_expect(not(pause_covers(off.ns - 1)));
	cr_expect(pause_covers(off.ns));
	cr_expect(pause_covers(on.ns - 1));
	cr_expect(not(pause_covers(on.ns)));
}

/* Twice off is once off; more than fit become one. */
Test(pause, changes_that_change_nothing_are_none)
{
	struct pause_change change;
	pause_note(false);
	cr_expect(not(pause_next(&change)));
	pause_note(true);
	pause_note(true);
	cr_expect(pause_next(&change) && change.off);
	cr_expect(not(pause_next(&change)));
	for (unsigned i = 0; i < 2 * PAUSE_LIMIT; i++)
		pause_note(i % 2 != 0);
	unsigned changes = 0;
	while (pause_next(&change))
		changes++;
	cr_expect(eq(uint, changes, PAUSE_LIMIT));
	cr_expect(change.off); /* as it was noted last */
}
