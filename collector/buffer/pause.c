/* SPDX-License-Identifier: MIT */
#include "collector/buffer/pause.h"

#include <errno.h>

#include "collector/base/clock.h"

static struct {
	/* ns << 1 | off; 0: free, or not written yet */
	uint64_t noted[PAUSE_LIMIT];
	uint32_t added, taken;
	uint32_t latest; /* off */
	uint32_t missed; /* a change found no room */
	/* Of the drain thread. */
	struct {
		uint64_t begin_ns, end_ns; /* end UINT64_MAX: still off */
	} stretches[PAUSE_LIMIT];
	uint64_t count; /* of stretches ever */
	bool is_off;
} pauses;

void pause_note(bool off)
{
	int saved = errno;
	uint64_t ns = clock_monotonic_ns();
	uint32_t mine = __atomic_load_n(&pauses.added, __ATOMIC_RELAXED);
	errno = saved;
	__atomic_store_n(&pauses.latest, off, __ATOMIC_RELAXED);
	do {
		if (mine - __atomic_load_n(&pauses.taken, __ATOMIC_ACQUIRE) >= PAUSE_LIMIT) {
			__atomic_store_n(&pauses.missed, 1, __ATOMIC_RELEASE);
			return;
		}
	} while (!__atomic_compare_exchange_n(
		&pauses.added, &mine, mine + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	__atomic_store_n(&pauses.noted[mine % PAUSE_LIMIT], ns << 1 | off, __ATOMIC_RELEASE);
}

static bool take(struct pause_change *ret_change)
{
	uint32_t taken = pauses.taken;
	uint64_t *slot = &pauses.noted[taken % PAUSE_LIMIT];
	uint64_t word = taken != __atomic_load_n(&pauses.added, __ATOMIC_ACQUIRE)
				? __atomic_exchange_n(slot, 0, __ATOMIC_ACQUIRE)
				: 0;
	if (word != 0) {
		__atomic_store_n(&pauses.taken, taken + 1, __ATOMIC_RELEASE);
		*ret_change = (struct pause_change){word >> 1, (word & 1) != 0};
		return true;
	}
	if (__atomic_exchange_n(&pauses.missed, 0, __ATOMIC_ACQUIRE) == 0)
		return false;
	*ret_change = (struct pause_change){
		clock_monotonic_ns(), __atomic_load_n(&pauses.latest, __ATOMIC_RELAXED) != 0};
	return true;
}

bool pause_next(struct pause_change *ret_change)
{
	do
		if (!take(ret_change))
			return false;
	while (ret_change->off == pauses.is_off);
	pauses.is_off = ret_change->off;
	if (ret_change->off) {
		unsigned slot = pauses.count++ % PAUSE_LIMIT;
		pauses.stretches[slot].begin_ns = ret_change->ns;
		pauses.stretches[slot].end_ns = UINT64_MAX;
	} else {
		pauses.stretches[(pauses.count - 1) % PAUSE_LIMIT].end_ns = ret_change->ns;
	}
	return true;
}

bool pause_stretch(uint64_t number, uint64_t *ret_begin_ns, uint64_t *ret_end_ns)
{
	if (number >= pauses.count || pauses.count - number > PAUSE_LIMIT)
		return false;
	*ret_begin_ns = pauses.stretches[number % PAUSE_LIMIT].begin_ns;
	*ret_end_ns = pauses.stretches[number % PAUSE_LIMIT].end_ns;
	return true;
}

bool pause_covers(uint64_t ns)
{
	uint64_t oldest = pauses.count > PAUSE_LIMIT ? pauses.count - PAUSE_LIMIT : 0;
	for (uint64_t i = pauses.count; i > oldest; i--) {
		unsigned slot = (unsigned)((i - 1) % PAUSE_LIMIT);
		if (ns >= pauses.stretches[slot].end_ns)
			return false;
		if (ns >= pauses.stretches[slot].begin_ns)
			return true;
	}
	return false;
}
