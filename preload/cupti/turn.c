/* SPDX-License-Identifier: MIT */
#include "preload/cupti/turn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define KIND_LIMIT   128u
#define CALL_LIMIT   2048u
#define OTHER_LIMIT  32u
#define WAIT_MS      3000u
#define KIND_DRIVER  4u
#define KIND_RUNTIME 5u
#define WHO_BYTES    64

enum phase {
	PHASE_OURS,
	PHASE_YIELDING,
	PHASE_OTHERS,
	PHASE_LEAVING, /* waiting for the pause to end */
	PHASE_RESUMING,
};

static const struct cupti_turn_options *handlers; /* NULL: off */

static struct {
	uint32_t phase;  /* enum phase */
	uint64_t pauses; /* begun; only the last one counts */
	uint64_t kinds[KIND_LIMIT / 64];
	uint64_t calls[2][CALL_LIMIT / 64];
	uint64_t others[OTHER_LIMIT]; /* 0: free */
	uint32_t overflowed;          /* 1: something is on that has no place above */
	char who[WHO_BYTES];
} turn;

void cupti_turn_init(const struct cupti_turn_options *options)
{
	handlers = options;
}

static bool change(uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(
		&turn.phase, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void sleep_ms(unsigned ms)
{
	struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000};
	while (nanosleep(&left, &left) != 0)
		;
}

bool cupti_turn_take(const char *who)
{
	if (handlers == NULL)
		return false;
	for (unsigned waited_ms = 0; waited_ms < WAIT_MS;) {
		switch (__atomic_load_n(&turn.phase, __ATOMIC_ACQUIRE)) {
		case PHASE_OURS:
			if (!change(PHASE_OURS, PHASE_YIELDING))
				continue;
			memset(turn.who, 0, sizeof(turn.who));
			memcpy(turn.who, who, strnlen(who, WHO_BYTES - 1));
			handlers->yield(turn.who);
			__atomic_store_n(&turn.phase, PHASE_OTHERS, __ATOMIC_RELEASE);
			return true;
		case PHASE_OTHERS:
			return false;
		case PHASE_LEAVING:
			if (change(PHASE_LEAVING, PHASE_OTHERS))
				return false;
			continue;
		default:
			sleep_ms(1);
			waited_ms++;
		}
	}
	return false;
}

static void put_bit(uint64_t *bits, uint64_t number, uint64_t limit, bool on)
{
	if (number >= limit)
		(void)__atomic_fetch_or(&turn.overflowed, on, __ATOMIC_RELAXED);
	else if (on)
		(void)__atomic_fetch_or(&bits[number / 64], 1ull << number % 64, __ATOMIC_RELAXED);
	else
		(void)__atomic_fetch_and(
			&bits[number / 64], ~(1ull << number % 64), __ATOMIC_RELAXED);
}

static void put_other(uint64_t number, bool on)
{
	uint64_t from = on ? 0 : number, to = on ? number : 0;
	for (unsigned i = 0; on && i < OTHER_LIMIT; i++)
		if (__atomic_load_n(&turn.others[i], __ATOMIC_RELAXED) == number)
			return;
	for (unsigned i = 0; i < OTHER_LIMIT; i++) {
		uint64_t seen = from;
		if (__atomic_compare_exchange_n(
			    &turn.others[i], &seen, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
	(void)__atomic_fetch_or(&turn.overflowed, on, __ATOMIC_RELAXED);
}

static void clear(uint64_t *words, size_t size)
{
	for (size_t i = 0; i < size / sizeof(*words); i++)
		__atomic_store_n(&words[i], 0, __ATOMIC_RELAXED);
}

void cupti_turn_hold(enum cupti_held what, uint64_t number, bool on)
{
	switch (what) {
	case CUPTI_HELD_KIND:
		put_bit(turn.kinds, number, KIND_LIMIT, on);
		if (!on && (number == KIND_RUNTIME || number == KIND_DRIVER))
			clear(turn.calls[number == KIND_DRIVER], sizeof(turn.calls[0]));
		break;
	case CUPTI_HELD_RUNTIME_CALL:
	case CUPTI_HELD_DRIVER_CALL:
		put_bit(turn.calls[what == CUPTI_HELD_DRIVER_CALL], number, CALL_LIMIT, on);
		break;
	case CUPTI_HELD_OTHER:
		put_other(number, on);
		break;
	}
}

void cupti_turn_drop_all(void)
{
	clear(turn.kinds, sizeof(turn.kinds));
	clear(turn.calls[0], sizeof(turn.calls));
	clear(turn.others, sizeof(turn.others));
	__atomic_store_n(&turn.overflowed, 0, __ATOMIC_RELAXED);
}

static bool any(const uint64_t *words, size_t size)
{
	uint64_t all = 0;
	for (size_t i = 0; i < size / sizeof(*words); i++)
		all |= __atomic_load_n(&words[i], __ATOMIC_RELAXED);
	return all != 0;
}

static bool holds_anything(void)
{
	return __atomic_load_n(&turn.overflowed, __ATOMIC_RELAXED) != 0 ||
	       any(turn.kinds, sizeof(turn.kinds)) || any(turn.calls[0], sizeof(turn.calls)) ||
	       any(turn.others, sizeof(turn.others));
}

static void *resume_later(void *pause)
{
	if (handlers->keep_off != NULL)
		handlers->keep_off();
	sleep_ms(CUPTI_TURN_PAUSE_MS);
	if ((uint64_t)(uintptr_t)pause != __atomic_load_n(&turn.pauses, __ATOMIC_ACQUIRE) ||
		!change(PHASE_LEAVING, PHASE_RESUMING))
		return NULL;
	handlers->resume();
	__atomic_store_n(&turn.phase, PHASE_OURS, __ATOMIC_RELEASE);
	return NULL;
}

void cupti_turn_left(void)
{
	pthread_t thread;
	sigset_t all, before;
	if (handlers == NULL || holds_anything())
		return;
	uint64_t pause = __atomic_add_fetch(&turn.pauses, 1, __ATOMIC_ACQ_REL);
	if (!change(PHASE_OTHERS, PHASE_LEAVING) &&
		__atomic_load_n(&turn.phase, __ATOMIC_ACQUIRE) != PHASE_LEAVING)
		return;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before);
	int code = pthread_create(&thread, NULL, resume_later, (void *)(uintptr_t)pause);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code == 0)
		(void)pthread_detach(thread);
}

void cupti_turn_after_fork(void)
{
	handlers = NULL;
}
