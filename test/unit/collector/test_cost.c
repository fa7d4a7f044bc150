/* SPDX-License-Identifier: MIT */
/* What recording takes on a thread of the program: samples of events whose cost is known. */
#include "collector/buffer/cost.h"

#include "collector/buffer/ring.h"
#include "collector/describe.h"
#include "test/unit/collector/recording.h"

#define EVENTS 16000u /* the ring has room for them */
#define STEP   64u    /* as far as samples are apart */
#define DEAR   40000u /* ticks */

TestSuite(cost, .fini = tear_down, .timeout = 60);

/* An event that ended so many ticks before it is recorded. */
static void record_late(uint64_t ticks, enum record_kind kind)
{
	struct record *slot = collector_reserve();
	if (slot == NULL)
		return;
	uint64_t now = clock_ticks();
	*slot = (struct record){.begin = now - ticks, .end = now - ticks, .kind = kind};
	collector_commit();
}

static double ticks_per_event(uint64_t before, uint64_t events)
{
	return (double)(cost_ticks(&collector_thread.whole->cost) - before) / (double)events;
}

Test(cost, is_that_of_all_events_whatever_their_rhythm)
{
	begin();
	record_late(0, RECORD_CALL);
	cr_assert(ne(ptr, collector_thread.whole, NULL));
	uint64_t before = cost_ticks(&collector_thread.whole->cost);
	/* a quarter is dear, in a row: samples a step apart would see those alone, or none */
	for (unsigned i = 0; i < EVENTS; i++)
		record_late(i % STEP < STEP / 4 ? DEAR : 0, RECORD_CALL);
	double each = ticks_per_event(before, EVENTS);
	cr_expect(gt(dbl, each, DEAR / 4 * 0.5), "%.0f ticks", each);
	cr_expect(lt(dbl, each, DEAR / 4 * 2.5), "%.0f ticks", each);
	collector_stop("exit");
}

Test(cost, leaves_out_what_tells_of_the_past)
{
	begin();
	record_late(0, RECORD_CALL);
	uint64_t before = cost_ticks(&collector_thread.whole->cost);
	for (unsigned i = 0; i < 4000; i++)
		record_late(900000, RECORD_GIL);
	cr_expect(eq(u64, cost_ticks(&collector_thread.whole->cost), before));
	collector_stop("exit");
}

Test(cost, of_one_event_is_bounded)
{
	struct cost cost = {0};
	cost_note(&cost, UINT64_MAX, 1);
	cr_expect(lt(u64, cost.ticks, 210000));
	uint64_t least = UINT64_MAX, most = 0;
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t next = cost_next(i * 977);
		least = next < least ? next : least;
		most = next > most ? next : most;
	}
	cr_expect(eq(u64, least, COST_APART / 2));
	cr_expect(eq(u64, most, COST_APART / 2 + 63));
	begin(); /* for the end of the suite's tests */
	collector_stop("exit");
}
