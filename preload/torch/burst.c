/* SPDX-License-Identifier: MIT */
#include "preload/torch/burst.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/format/fields.h"
#include "preload/frameworks/frameworks.h"
#include "preload/torch/budget.h"
#include "preload/window/window.h"

#define HANDLES   4u
#define LOOKED_AT 64u /* records of a thread, for work that was given to a device */

static unsigned wanted_permille;
static struct {
	uint64_t handles[HANDLES];
	unsigned count;
	struct budget budget;
	uint64_t step_ticks, step_hooks; /* when the running step began */
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
	for (unsigned i = 0; i < bursts.count; i++)
		(on ? frameworks.torch_reenable : frameworks.torch_disable)(bursts.handles[i]);
	if (!on)
		tell(false);
	bursts.is_on = on;
}

/* A step has ended on the calling thread, which holds the guard. */
static void step_ended(void)
{
	uint64_t now = clock_ticks(), hooks = collector_cost();
	if (__atomic_exchange_n(&bursts.busy, 1, __ATOMIC_ACQUIRE) != 0)
		return;
	bursts.works = bursts.works || gives_work();
	/* another thread's steps are not to be compared with these */
	bool known = bursts.owner == collector_thread.whole && bursts.step_ticks != 0;
	if (bursts.works && collector_enabled && known) {
		bool on = budget_step(
			&bursts.budget, now - bursts.step_ticks, hooks - bursts.step_hooks);
		if (on != bursts.is_on)
			turn(on);
	}
	bursts.owner = collector_thread.whole;
	bursts.step_hooks = hooks;
	bursts.step_ticks = clock_ticks();
	__atomic_store_n(&bursts.busy, 0, __ATOMIC_RELEASE);
}

void burst_init(unsigned permille)
{
	wanted_permille = permille;
}

const char *burst_begin(const uint64_t *handles, unsigned count)
{
	if (wanted_permille == 0)
		return NULL;
	if (frameworks.torch_disable == NULL || frameworks.torch_reenable == NULL)
		return "LIBTRACE_BUDGET: this PyTorch cannot switch callbacks, all operators are "
		       "recorded";
	bursts.count = count < HANDLES ? count : HANDLES;
	memcpy(bursts.handles, handles, bursts.count * sizeof(*handles));
	bursts.is_on = true;
	budget_begin(&bursts.budget, wanted_permille / 1000.0, clock_ticks());
	window_each_step(step_ended);
	return NULL;
}
