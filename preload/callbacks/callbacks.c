/* SPDX-License-Identifier: MIT */
#include "preload/callbacks/callbacks.h"

#include <sched.h>
#include <stdint.h>

#include "collector/base/clock.h"
#include "collector/format/value.h"
#include "preload/callbacks/userscope.h"
#include "preload/frameworks/frameworks.h"
#include "preload/shapes/shapes.h"
#include "preload/thread/guard.h"

#define SWITCHED     4u
#define FORK_WAIT_NS 20000000u /* at most, for what takes microseconds */

/* Of busy; a thread that tells and threads that fork, so many, keep each other out. */
#define TELLS 1u
#define FORKS 2u

static struct {
	struct switched {
		struct torch_callback callback;
		uint64_t handle; /* while PyTorch has it */
	} of[SWITCHED];          /* operators and backward functions */
	unsigned count;
	struct switched rare; /* one of them, for a few operators */
	uint32_t reasons;     /* why they are to be off */
	uint32_t busy;
	uint32_t told; /* what it knows of the reasons */
} callbacks;

static void add(struct switched *switched)
{
	switched->handle = frameworks.torch_add_callback(switched->callback);
}

void callbacks_add(void (*start)(void), void (*end)(void), unsigned scope)
{
	struct switched added = {.callback = {.start = start, .end = end, .probability = 1.0}};
	added.callback.scopes[scope] = 1;
	if (scope == OP_USER_SCOPE && userscope_begin(&added.callback))
		return;
	if (scope != OP_USER_SCOPE)
		shapes_ask(&added.callback);
	add(&added);
	if (scope == OP_USER_SCOPE || callbacks.count == SWITCHED)
		return;
	callbacks.of[callbacks.count++] = added;
	if (scope == OP_FUNCTION) {
		callbacks.rare = added;
		callbacks.rare.callback.probability = 1.0 / CALLBACKS_RARE;
	}
}

void callbacks_end(void)
{
	userscope_end();
}

bool callbacks_can_switch(void)
{
	return frameworks.torch_remove != NULL;
}

static void switch_one(struct switched *switched, bool on)
{
	if (on)
		add(switched);
	else
		frameworks.torch_remove(switched->handle);
}

static void tell(uint32_t reasons)
{
	if (((callbacks.told & ~reasons) & CALLBACKS_HELP) != 0)
		switch_one(&callbacks.rare, false);
	if ((reasons != 0) != (callbacks.told != 0))
		for (unsigned i = 0; i < callbacks.count; i++)
			switch_one(&callbacks.of[i], reasons == 0);
	if (((reasons & ~callbacks.told) & CALLBACKS_HELP) != 0)
		switch_one(&callbacks.rare, true);
	__atomic_store_n(&callbacks.told, reasons, __ATOMIC_RELAXED);
}

static bool may_tell(void)
{
	uint32_t nobody = 0;
	return __atomic_compare_exchange_n(
		&callbacks.busy, &nobody, TELLS, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Who comes while another thread tells PyTorch, or forks, leaves it to that one. */
static void tell_last(void)
{
	const uint32_t *reasons = &callbacks.reasons;
	while (__atomic_load_n(reasons, __ATOMIC_SEQ_CST) !=
			__atomic_load_n(&callbacks.told, __ATOMIC_RELAXED) &&
		may_tell()) {
		tell(__atomic_load_n(reasons, __ATOMIC_SEQ_CST));
		(void)__atomic_fetch_and(&callbacks.busy, ~TELLS, __ATOMIC_SEQ_CST);
	}
}

void callbacks_switch(enum callbacks_reason reason, bool off)
{
	if (!callbacks_can_switch())
		return;
	if (off)
		(void)__atomic_fetch_or(&callbacks.reasons, reason, __ATOMIC_SEQ_CST);
	else
		(void)__atomic_fetch_and(&callbacks.reasons, ~(uint32_t)reason, __ATOMIC_SEQ_CST);
	tell_last();
}

bool callbacks_are_off(enum callbacks_reason reason)
{
	return (__atomic_load_n(&callbacks.reasons, __ATOMIC_RELAXED) & reason) != 0;
}

/* The child would have PyTorch's lock as it is while it is made. */
void callbacks_before_fork(void)
{
	(void)__atomic_fetch_add(&callbacks.busy, FORKS, __ATOMIC_SEQ_CST);
	uint64_t until_ns = clock_monotonic_ns() + FORK_WAIT_NS;
	while ((__atomic_load_n(&callbacks.busy, __ATOMIC_ACQUIRE) & TELLS) != 0 &&
		clock_monotonic_ns() < until_ns)
		(void)sched_yield();
}

void callbacks_forked(void)
{
	(void)__atomic_fetch_sub(&callbacks.busy, FORKS, __ATOMIC_SEQ_CST);
	if (callbacks_can_switch() && guard_enter()) {
		tell_last();
		guard_leave();
	}
}

void callbacks_after_fork(void)
{
	callbacks.busy = 0;
}
