/* SPDX-License-Identifier: MIT */
/*
 * How often the drain thread looks when nothing happens, when the clock is measured again, and
 * which times lie in a pause.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/buffer/pause.h"
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

/* How often the drain thread, the only other one, has gone to sleep by itself. */
static unsigned naps(void)
{
	unsigned count = 0;
	char line[256];
	FILE *list = popen("cat /proc/$PPID/task/*/status", "r");
	bool is_drain = false;
	while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
		if (strncmp(line, "Name:", 5) == 0)
			is_drain = strstr(line, "libtrace") != NULL;
		if (is_drain)
			(void)sscanf(line, "voluntary_ctxt_switches: %u", &count);
	}
	cr_assert(list != NULL && pclose(list) == 0);
	return count;
}

/*
 * After 10 ms the first time, then after twice as long each time up to 320 ms: 6 naps in the first
 * 640 ms, 5 in the 1.7 s after that; some more, as it may have to wait for something else, and
 * fewer where it has to wait for a processor. With naps of 320 ms from the start it were 2 or 3.
 */
Test(back_off, an_idle_thread_looks_less_and_less_often, .init = begin, .fini = end, .timeout = 60)
{
	for (unsigned i = 0; i < 50; i++) {
		record();
		(void)usleep(10000);
	}
	unsigned before = naps();
	(void)usleep(640000);
	unsigned first = naps() - before;
	(void)usleep(1700000);
	unsigned later = naps() - before - first;
	cr_expect(ge(uint, first, 4), "%u naps", first);
	cr_expect(le(uint, later, 20), "%u naps", later);
	collector_stop("exit");
}

/* While something happens all the time it looks all the time: 100 times per second at most. */
Test(back_off, a_busy_thread_looks_often, .init = begin, .fini = end, .timeout = 60)
{
	record();
	(void)usleep(1000000); /* now it sleeps for 320 ms at a time */
	for (unsigned i = 0; i < 100; i++) {
		record();
		(void)usleep(10000);
	}
	unsigned before = naps();
	for (unsigned i = 0; i < 50; i++) {
		record();
		(void)usleep(10000);
	}
	unsigned busy = naps() - before;
	cr_expect(ge(uint, busy, 15), "%u naps", busy);
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
