/* SPDX-License-Identifier: MIT */
#include "collector/buffer/pause.h"

#include <errno.h>
#include <string.h>

#include "collector/base/clock.h"
#include "collector/base/small.h"

struct noted {
	uint64_t word; /* ns << 1 | off; 0: free, or not written yet */
	uint32_t passed[PAUSE_KINDS];
};

static struct {
	uint32_t passed[PAUSE_KINDS];
	uint32_t taken;
	uint32_t latest; /* off */
	uint32_t missed; /* a change found no room */
	struct noted noted[PAUSE_LIMIT];
	/* Of the drain thread. */
	struct pause_stretch stretches[PAUSE_LIMIT];
	uint64_t count; /* of stretches ever */
	bool is_off;
} pauses;

static uint32_t expected;
static uint32_t added SMALL; /* changes ever */

void pause_expect(void)
{
	__atomic_store_n(&expected, 1, __ATOMIC_RELAXED);
}

bool pause_is_expected(void)
{
	return __atomic_load_n(&expected, __ATOMIC_RELAXED) != 0;
}

static void copy_passed(uint32_t *ret_passed)
{
	for (unsigned i = 0; i < PAUSE_KINDS; i++)
		ret_passed[i] = __atomic_load_n(&pauses.passed[i], __ATOMIC_RELAXED);
}

void pause_pass(enum pause_kind kind)
{
	(void)__atomic_add_fetch(&pauses.passed[kind], 1, __ATOMIC_RELAXED);
}

void pause_note(bool off)
{
	/* Recording is on at first: saying so again, as every start does, is no change. */
	if (!off && __atomic_load_n(&added, __ATOMIC_ACQUIRE) == 0)
		return;
	int saved = errno;
	uint64_t ns = clock_monotonic_ns();
	errno = saved;
	__atomic_store_n(&pauses.latest, off, __ATOMIC_RELAXED);
	uint32_t mine = __atomic_load_n(&added, __ATOMIC_RELAXED);
	do {
		if (mine - __atomic_load_n(&pauses.taken, __ATOMIC_ACQUIRE) >= PAUSE_LIMIT) {
			__atomic_store_n(&pauses.missed, 1, __ATOMIC_RELEASE);
			return;
		}
	} while (!__atomic_compare_exchange_n(
		&added, &mine, mine + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	struct noted *noted = &pauses.noted[mine % PAUSE_LIMIT];
	copy_passed(noted->passed);
	__atomic_store_n(&noted->word, ns << 1 | off, __ATOMIC_RELEASE);
}

static bool take(struct pause_change *ret_change)
{
	uint32_t taken = pauses.taken;
	struct noted *noted = &pauses.noted[taken % PAUSE_LIMIT];
	uint64_t word = taken != __atomic_load_n(&added, __ATOMIC_ACQUIRE)
				? __atomic_load_n(&noted->word, __ATOMIC_ACQUIRE)
				: 0;
	if (word != 0) {
		*ret_change = (struct pause_change){.ns = word >> 1, .off = (word & 1) != 0};
		memcpy(ret_change->passed, noted->passed, sizeof(ret_change->passed));
		__atomic_store_n(&noted->word, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&pauses.taken, taken + 1, __ATOMIC_RELEASE);
		return true;
	}
	if (__atomic_exchange_n(&pauses.missed, 0, __ATOMIC_ACQUIRE) == 0)
		return false;
	*ret_change = (struct pause_change){.ns = clock_monotonic_ns(),
		.off = __atomic_load_n(&pauses.latest, __ATOMIC_RELAXED) != 0};
	copy_passed(ret_change->passed);
	return true;
}

bool pause_next(struct pause_change *ret_change)
{
	do
		if (!take(ret_change))
			return false;
	while (ret_change->off == pauses.is_off);
	pauses.is_off = ret_change->off;
	struct pause_stretch *stretch =
		&pauses.stretches[(pauses.count - !ret_change->off) % PAUSE_LIMIT];
	if (ret_change->off) {
		*stretch = (struct pause_stretch){.begin_ns = ret_change->ns, .end_ns = UINT64_MAX};
		memcpy(stretch->passed, ret_change->passed, sizeof(stretch->passed));
		pauses.count++;
	} else {
		stretch->end_ns = ret_change->ns;
		for (unsigned i = 0; i < PAUSE_KINDS; i++)
			stretch->passed[i] = ret_change->passed[i] - stretch->passed[i];
	}
	return true;
}

uint64_t pause_oldest(void)
{
	return pauses.count > PAUSE_LIMIT ? pauses.count - PAUSE_LIMIT : 0;
}

bool pause_stretch(uint64_t number, struct pause_stretch *ret_stretch)
{
	if (number >= pauses.count || number < pause_oldest())
		return false;
	*ret_stretch = pauses.stretches[number % PAUSE_LIMIT];
	if (ret_stretch->end_ns == UINT64_MAX)
		for (unsigned i = 0; i < PAUSE_KINDS; i++)
			ret_stretch->passed[i] =
				__atomic_load_n(&pauses.passed[i], __ATOMIC_RELAXED) -
				ret_stretch->passed[i];
	return true;
}

bool pause_covers(uint64_t ns)
{
	for (uint64_t i = pauses.count, oldest = pause_oldest(); i > oldest; i--) {
		unsigned slot = (unsigned)((i - 1) % PAUSE_LIMIT);
		if (ns >= pauses.stretches[slot].end_ns)
			return false;
		if (ns >= pauses.stretches[slot].begin_ns)
			return true;
	}
	return false;
}

void pause_forget(void)
{
	memset(&pauses, 0, sizeof(pauses));
	added = 0;
}
