/* SPDX-License-Identifier: MIT */
#include "preload/torch/burst.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/callbacks/callbacks.h"
#include "preload/thread/guard.h"
#include "preload/torch/budget.h"
#include "preload/window/window.h"

#define LOOKED_AT 64u /* records of a thread, for work that was given to a device */

static unsigned wanted_permille;
static struct {
	struct budget budget;
	uint64_t step_ticks, step_hooks; /* when the running step began */
	uint64_t step_cpu;               /* 0: not looked at */
	const struct ring *owner;        /* the thread's, whose steps these are */
	bool works;                      /* something has been given to a device */
	bool is_on;
	uint32_t busy;
} bursts;

/* The calling thread has asked a device for something, as far as its last records tell. */
static bool gives_work(void)
{
	for (unsigned back = 1; back <= LOOKED_AT; back++) {
		const struct record *record = collector_recorded(back);
		if (record == NULL)
			break;
		if (record->kind == RECORD_LAUNCH || record->kind == RECORD_GRAPH)
			return true;
	}
	return false;
}

static void tell(bool on)
{
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	uint64_t now = clock_ticks();
	double cost = budget_cost(&bursts.budget);
	*record = (struct record){.begin = now, .end = now, .kind = RECORD_BURST};
	record_set_BURST_operators(record, on);
	record_set_BURST_slow(record, on && bursts.budget.slow);
	record_set_BURST_cost(record, cost < 0 ? 0 : 1 + (uint32_t)(1000 * cost));
	collector_commit();
}

static void turn(bool on)
{
	if (on)
		tell(true);
	callbacks_switch(CALLBACKS_BUDGET, !on);
	if (!on)
		tell(false);
	bursts.is_on = on;
}

/* Something has been given to a device: the budget is kept from now on, and told. */
static void begin(void)
{
	char text[16];
	(void)snprintf(text, sizeof(text), wanted_permille % 10 == 0 ? "%u%%" : "%u.%u%%",
		wanted_permille / 10, wanted_permille % 10);
	collector_setting("LIBTRACE_BUDGET", text);
	bursts.works = true;
}

/*
 * Of all threads, since the backward pass has one of its own; 0: not known. It is a system call, so
 * that only steps that are compared have it.
 */
static uint64_t cpu_ns(void)
{
	struct timespec time;
	int saved = errno;
	int code = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	errno = saved;
	return code < 0 ? 0 : (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/* A step has ended on the calling thread, which holds the guard. */
static void step_ended(void)
{
	uint64_t now = clock_ticks(), hooks = collector_cost();
	if (__atomic_exchange_n(&bursts.busy, 1, __ATOMIC_ACQUIRE) != 0)
		return;
	if (!bursts.works && gives_work())
		begin();
	/* another thread's steps are not to be compared with these */
	bool known = bursts.owner == collector_thread.whole && bursts.step_ticks != 0;
	uint64_t cpu = bursts.step_cpu != 0 ? cpu_ns() : 0;
	/* a child's clock begins anew */
	uint64_t worked = cpu > bursts.step_cpu ? cpu - bursts.step_cpu : 0;
	if (bursts.works && collector_enabled && known) {
		bool on = budget_step(
			&bursts.budget, now - bursts.step_ticks, worked, hooks - bursts.step_hooks);
		if (on != bursts.is_on)
			turn(on);
	}
	if (!collector_enabled || !budget_compares(&bursts.budget))
		cpu = 0;
	else if (cpu == 0)
		cpu = cpu_ns();
	bursts.step_cpu = cpu;
	bursts.owner = collector_thread.whole;
	bursts.step_hooks = hooks;
	bursts.step_ticks = clock_ticks();
	__atomic_store_n(&bursts.busy, 0, __ATOMIC_RELEASE);
}

/* Another thread may have been at it: the child goes on with its first step that is known. */
static void after_fork(void)
{
	bursts.busy = 0;
	bursts.step_ticks = 0;
}

/* While nothing is recorded operators cost nothing. */
static void record_any(bool on)
{
	if (callbacks_are_off(CALLBACKS_WINDOW) != on)
		return;
	int saved = errno;
	bool entered = guard_enter();
	callbacks_switch(CALLBACKS_WINDOW, !on);
	if (entered)
		guard_leave();
	errno = saved;
}

void burst_init(unsigned permille)
{
	wanted_permille = permille;
}

const char *burst_begin(void)
{
	window_each_change(record_any);
	if (wanted_permille == 0)
		return NULL;
	if (!callbacks_can_switch())
		return "LIBTRACE_BUDGET: this PyTorch cannot switch callbacks, all operators are "
		       "recorded";
	(void)pthread_atfork(NULL, NULL, after_fork);
	bursts.is_on = true;
	budget_begin(&bursts.budget, wanted_permille / 1000.0, clock_ticks());
	window_each_step(step_ended);
	return NULL;
}
