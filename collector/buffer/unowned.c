/* SPDX-License-Identifier: MIT */
#include "collector/buffer/unowned.h"

#include <stdbool.h>

static struct live_unowned early;           /* before there is a live file */
static struct live_unowned *place = &early; /* where they are counted */
static uint64_t taken;                      /* of them, and not told yet; by the drain thread */

static struct live_unowned *place_now(void)
{
	return __atomic_load_n(&place, __ATOMIC_SEQ_CST);
}

static void note_times(struct live_unowned *to, uint64_t first_ticks, uint64_t last_ticks)
{
	uint64_t zero = 0;
	(void)__atomic_compare_exchange_n(
		&to->first_ticks, &zero, first_ticks, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&to->last_ticks, last_ticks, __ATOMIC_RELAXED);
}

/*
 * All that is counted there, while others may still count there, and take their own back. Who is
 * killed in between has told of some twice, but never not at all.
 */
static void move(struct live_unowned *from, struct live_unowned *to)
{
	uint64_t moved = 0, count = __atomic_load_n(&from->count, __ATOMIC_SEQ_CST);
	if (count == 0)
		return;
	uint64_t last = __atomic_load_n(&from->last_ticks, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&from->first_ticks, __ATOMIC_RELAXED);
	note_times(to, first != 0 ? first : last, last);
	do {
		__atomic_fetch_add(&to->count, count - moved, __ATOMIC_SEQ_CST);
		moved = count;
	} while (!__atomic_compare_exchange_n(
		&from->count, &count, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

/* One of those that are counted there; false: they have been moved. */
static bool take_back(struct live_unowned *from)
{
	uint64_t count = __atomic_load_n(&from->count, __ATOMIC_SEQ_CST);
	while (count > 0)
		if (__atomic_compare_exchange_n(&from->count, &count, count - 1, false,
			    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
	return false;
}

void unowned_count(uint64_t ticks)
{
	struct live_unowned *mine = place_now(), *now;
	note_times(mine, ticks, ticks);
	__atomic_fetch_add(&mine->count, 1, __ATOMIC_SEQ_CST);
	/* Who adopts has found it, or it is found here that somebody has adopted. */
	while ((now = place_now()) != mine && take_back(mine)) {
		note_times(now, ticks, ticks);
		__atomic_fetch_add(&now->count, 1, __ATOMIC_SEQ_CST);
		mine = now;
	}
}

void unowned_adopt(struct live *live)
{
	struct live_unowned *to = &live->header->unowned;
	struct live_unowned *from = __atomic_exchange_n(&place, to, __ATOMIC_SEQ_CST);
	if (from != to)
		move(from, to);
}

uint64_t unowned_take(uint64_t *ret_first_ticks, uint64_t *ret_last_ticks)
{
	const struct live_unowned *now = place_now();
	uint64_t count = __atomic_load_n(&now->count, __ATOMIC_SEQ_CST);
	if (count <= taken)
		return 0;
	uint64_t more = count - taken;
	taken = count;
	uint64_t last = __atomic_load_n(&now->last_ticks, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&now->first_ticks, __ATOMIC_RELAXED);
	*ret_last_ticks = last;
	*ret_first_ticks = first != 0 && first < last ? first : last;
	return more;
}

void unowned_tell(void)
{
	struct live_unowned *now = place_now();
	if (taken == 0)
		return;
	__atomic_store_n(&now->first_ticks, 0, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&now->count, taken, __ATOMIC_SEQ_CST);
	taken = 0;
}

void unowned_forget(void)
{
	early = (struct live_unowned){0};
	taken = 0;
	__atomic_store_n(&place, &early, __ATOMIC_SEQ_CST);
}
