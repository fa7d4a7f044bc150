/* SPDX-License-Identifier: MIT */
#include "collector/drain/slew.h"

#define FIRST_INTERVAL_NS 10000000ull
#define LAST_INTERVAL_NS  1000000000ull
/* An error beyond this is a jump (the machine slept), not drift. */
#define JUMP_NS 10000000ll

static struct clock_scale *last_piece(struct slew *slew)
{
	return &slew->pieces[(slew->count - 1) & (SLEW_PIECES - 1)];
}

const struct clock_scale *slew_current(const struct slew *slew)
{
	return &slew->pieces[(slew->count - 1) & (SLEW_PIECES - 1)];
}

void slew_init(struct slew *slew, const struct clock_triple *first)
{
	slew->first = *first;
	slew->last = *first;
	slew->count = 1;
	slew->interval_ns = FIRST_INTERVAL_NS;
	slew->pieces[0] = (struct clock_scale){first->ticks, first->monotonic_ns, 1ull << 32};
}

bool slew_is_due(const struct slew *slew, uint64_t ticks)
{
	if (!clock_use_tsc)
		return false;
	if (slew->count == 1 && slew->last.ticks == slew->first.ticks)
		return true;
	return clock_ticks_to_ns(slew_current(slew), ticks) >=
	       slew->last.monotonic_ns + slew->interval_ns;
}

/* The slope that reaches the clock again after horizon_ns. */
static uint64_t slope(uint64_t rate, int64_t error, uint64_t horizon_ns)
{
	__int128 wanted = (__int128)rate * ((__int128)horizon_ns + error) / (__int128)horizon_ns;
	/* Never stand still or run backwards, whatever was measured. */
	__int128 least = (__int128)rate / 2;
	return (uint64_t)(wanted > least ? wanted : least);
}

bool slew_update(struct slew *slew, const struct clock_triple *now)
{
	if (!slew_is_due(slew, now->ticks) || now->ticks <= slew->last.ticks ||
		now->monotonic_ns <= slew->last.monotonic_ns)
		return false;
	struct clock_scale measured;
	clock_scale_from(&slew->last, now, &measured);
	if (slew->last.ticks == slew->first.ticks && slew->count == 1) {
		slew->pieces[0].mult = measured.mult;
		slew->last = *now;
		return true;
	}
	uint64_t here = clock_ticks_to_ns(last_piece(slew), now->ticks);
	int64_t error = (int64_t)(now->monotonic_ns - here);
	if (slew->interval_ns < LAST_INTERVAL_NS)
		slew->interval_ns *= 2;
	if (slew->interval_ns > LAST_INTERVAL_NS)
		slew->interval_ns = LAST_INTERVAL_NS;
	/* The next measurement may come as late as this one did: no overshooting until then. */
	uint64_t horizon_ns = now->monotonic_ns - slew->last.monotonic_ns;
	if (horizon_ns < slew->interval_ns)
		horizon_ns = slew->interval_ns;
	struct clock_scale next = {now->ticks, here, slope(measured.mult, error, horizon_ns)};
	if (error > JUMP_NS) {
		/* Forward is allowed at once: nothing was recorded in between. */
		next.base_ns = now->monotonic_ns;
		next.mult = measured.mult;
	}
	slew->count++;
	*last_piece(slew) = next;
	slew->last = *now;
	return true;
}

uint64_t slew_ns_before(const struct slew *slew, uint64_t ticks)
{
	uint64_t oldest = slew->count > SLEW_PIECES ? slew->count - SLEW_PIECES : 0;
	uint64_t i = slew->count - 1;
	while (i > oldest && (int64_t)(ticks - slew->pieces[i & (SLEW_PIECES - 1)].base_ticks) < 0)
		i--;
	return clock_ticks_to_ns(&slew->pieces[i & (SLEW_PIECES - 1)], ticks);
}
