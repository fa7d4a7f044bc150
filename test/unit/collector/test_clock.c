/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "collector/base/clock.h"
#include "collector/drain/slew.h"

/* A counter of 2.5 GHz that drifts, seen through a clock read with some noise. */
struct simulated {
	double ticks, ns;
	double ticks_per_ns;
	unsigned seed;
};

static void advance(struct simulated *clock, double ns)
{
	clock->ns += ns;
	clock->ticks += ns * clock->ticks_per_ns;
}

static struct clock_triple measure(struct simulated *clock, int noise_ns)
{
	int noise = noise_ns > 0 ? rand_r(&clock->seed) % (2 * noise_ns) - noise_ns : 0;
	return (struct clock_triple){.ticks = (uint64_t)clock->ticks,
		.monotonic_ns = (uint64_t)(clock->ns + noise),
		.realtime_ns = (uint64_t)(clock->ns + noise) + 1000000};
}

static struct simulated simulated(void)
{
	clock_use_tsc = true;
	return (struct simulated){.ticks = 5e12, .ns = 3e12, .ticks_per_ns = 2.5, .seed = 20261121};
}

Test(clock, scale_meets_both_measurements)
{
	struct simulated clock = simulated();
	struct clock_triple earlier = measure(&clock, 0);
	advance(&clock, 1.5e9);
	struct clock_triple later = measure(&clock, 0);
	struct clock_scale scale;
	clock_scale_from(&earlier, &later, &scale);
	cr_assert(eq(u64, clock_ticks_to_ns(&scale, earlier.ticks), earlier.monotonic_ns));
	uint64_t end = clock_ticks_to_ns(&scale, later.ticks);
	cr_assert(le(u64, later.monotonic_ns - end, 1));
	/* A tick before the base is fine too. */
	uint64_t before = clock_ticks_to_ns(&scale, earlier.ticks - 2500);
	cr_assert(le(u64, earlier.monotonic_ns - before - 1000, 1));
}

Test(clock, scale_of_equal_measurements_is_the_identity)
{
	struct simulated clock = simulated();
	struct clock_triple once = measure(&clock, 0);
	struct clock_scale scale;
	clock_scale_from(&once, &once, &scale);
	cr_assert(eq(u64, clock_ticks_to_ns(&scale, once.ticks + 7), once.monotonic_ns + 7));
}

Test(clock, slew_is_monotonic_and_close_while_the_counter_drifts)
{
	struct simulated clock = simulated();
	static struct slew slew;
	struct clock_triple triple = measure(&clock, 40);
	uint64_t last = 0, worst = 0, pieces = 0;
	slew_init(&slew, &triple);
	for (int i = 0; i < 12000; i++) { /* two minutes, every 10 ms */
		/* As far as a crystal warms up and time daemons pull: 0.2 ppm a second. */
		clock.ticks_per_ns *= 1 + ((i / 1000) % 2 != 0 ? 2e-9 : -2e-9);
		advance(&clock, 1e7);
		triple = measure(&clock, 40);
		pieces += slew_update(&slew, &triple);
		for (int back = 3; back >= 0; back--) {
			uint64_t ns = slew_ns(&slew, (uint64_t)clock.ticks - 1000u * back);
			cr_assert(ge(u64, ns, last), "backwards at step %d", i);
			last = ns;
		}
		int64_t error = (int64_t)(last - (uint64_t)clock.ns);
		if (i > 100 && (uint64_t)llabs(error) > worst)
			worst = (uint64_t)llabs(error);
	}
	cr_assert(lt(u64, worst, 1000), "error of %lu ns", (unsigned long)worst);
	cr_assert(gt(u64, pieces, 100));
}

Test(clock, slew_is_continuous_where_pieces_meet)
{
	struct simulated clock = simulated();
	static struct slew slew;
	struct clock_triple triple = measure(&clock, 40);
	slew_init(&slew, &triple);
	for (int i = 0; i < 2000; i++) {
		advance(&clock, 1e7);
		triple = measure(&clock, 40);
		uint64_t before = slew_ns(&slew, triple.ticks);
		bool first = slew.count == 1;
		if (!slew_update(&slew, &triple) || first)
			continue;
		cr_assert(eq(u64, slew_ns(&slew, triple.ticks), before));
	}
}

Test(clock, slew_gives_an_old_tick_the_same_time_later)
{
	struct simulated clock = simulated();
	static struct slew slew;
	struct clock_triple triple = measure(&clock, 40);
	uint64_t ticks[50], ns[50];
	slew_init(&slew, &triple);
	advance(&clock, 2e7);
	triple = measure(&clock, 40);
	slew_update(&slew, &triple);
	for (int i = 0; i < 50; i++) {
		advance(&clock, 1e9);
		triple = measure(&clock, 40);
		slew_update(&slew, &triple);
		ticks[i] = triple.ticks + 12345;
		ns[i] = slew_ns(&slew, ticks[i]);
	}
	for (int i = 0; i < 49; i++)
		cr_assert(eq(u64, slew_ns(&slew, ticks[i]), ns[i]));
}

Test(clock, slew_does_not_swing_when_measurements_come_late)
{
	struct simulated clock = simulated();
	static struct slew slew;
	struct clock_triple triple = measure(&clock, 40);
	slew_init(&slew, &triple);
	advance(&clock, 1e7);
	triple = measure(&clock, 40);
	slew_update(&slew, &triple);
	for (int i = 0; i < 100; i++) {
		advance(&clock, 32e7);
		triple = measure(&clock, 40);
		int64_t error = (int64_t)(slew_ns(&slew, triple.ticks) - triple.monotonic_ns);
		/* 80 ns of noise over the first 10 ms are 8 ppm. */
		cr_assert(lt(i64, llabs(error), i < 3 ? 6000 : 500), "%ld ns at step %d",
			(long)error, i);
		slew_update(&slew, &triple);
	}
}

Test(clock, slew_keeps_only_so_much_history)
{
	struct simulated clock = simulated();
	static struct slew slew;
	struct clock_triple triple = measure(&clock, 0);
	uint64_t first = triple.ticks;
	slew_init(&slew, &triple);
	for (int i = 0; i < 1000; i++) {
		advance(&clock, 1e9);
		triple = measure(&clock, 0);
		slew_update(&slew, &triple);
	}
	cr_assert(gt(u64, slew.count, SLEW_PIECES));
	/*
	 * Beyond the history the oldest piece is drawn out: still close when the rate was the
	 * same.
	 */
	uint64_t ns = slew_ns(&slew, first);
	cr_assert(lt(u64, (uint64_t)llabs((int64_t)(ns - (uint64_t)3e12)), 1000));
}

Test(clock, slew_follows_a_jump_forward_at_once)
{
	struct simulated clock = simulated();
	static struct slew slew;
	struct clock_triple triple = measure(&clock, 0);
	slew_init(&slew, &triple);
	for (int i = 0; i < 200; i++) {
		advance(&clock, 1e7);
		triple = measure(&clock, 0);
		slew_update(&slew, &triple);
	}
	clock.ns += 5e9; /* the counter stood still for five seconds */
	advance(&clock, 1e9);
	triple = measure(&clock, 0);
	cr_assert(slew_update(&slew, &triple));
	cr_assert(eq(u64, slew_ns(&slew, triple.ticks), triple.monotonic_ns));
}

Test(clock, without_the_counter_ticks_are_nanoseconds)
{
	clock_use_tsc = false;
	static struct slew slew;
	struct clock_triple triple = {.ticks = 100, .monotonic_ns = 100};
	slew_init(&slew, &triple);
	triple = (struct clock_triple){.ticks = 2000000100, .monotonic_ns = 2000000100};
	cr_assert(not(slew_update(&slew, &triple)));
	cr_assert(eq(u64, slew_ns(&slew, 12345), 12345));
	cr_assert(eq(u64, slew_ns(&slew, 7000000000), 7000000000));
}

Test(clock, the_real_clock_is_met_within_a_microsecond)
{
	clock_init(false);
	static struct slew slew;
	struct clock_triple triple;
	clock_read_triple(&triple);
	slew_init(&slew, &triple);
	struct timespec pause = {0, 10000000};
	for (int i = 0; i < 130; i++) {
		nanosleep(&pause, NULL);
		clock_read_triple(&triple);
		slew_update(&slew, &triple);
	}
	clock_read_triple(&triple);
	int64_t error = (int64_t)(slew_ns(&slew, triple.ticks) - triple.monotonic_ns);
	cr_assert(lt(i64, llabs(error), 1000), "error of %ld ns", (long)error);
}

Test(clock, forced_monotonic_does_not_use_the_counter)
{
	clock_init(true);
	cr_assert(not(clock_use_tsc));
	clock_init(false); /* decided already */
	cr_assert(not(clock_use_tsc));
	uint64_t ticks = clock_ticks();
	uint64_t now = clock_monotonic_ns();
	cr_assert(lt(u64, now - ticks, 1000000000));
}
