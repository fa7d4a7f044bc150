/* SPDX-License-Identifier: MIT */
#include "preload/torch/callbacks.h"

#include <sched.h>
#include <stdint.h>

#include "collector/base/clock.h"
#include "collector/format/value.h"
#include "preload/frameworks/frameworks.h"
#include "preload/shapes/shapes.h"
#include "preload/thread/guard.h"

#define SWITCHED     4u
#define FORK_WAIT_NS 20000000u /* at most, for what takes microseconds */

/* Of busy; a thread that tells and threads that fork, so many, keep each other out. */
#define TELLS 1u
#define FORKS 2u

static struct {
	uint64_t handles[SWITCHED]; /* of operators and backward functions */
	unsigned count;
	struct torch_callback rare; /* one of them, for a few operators */
	uint64_t rare_handle;
	bool has_rare;
	uint32_t reasons; /* why they are to be off */
	uint32_t busy;
	uint32_t told; /* what it knows of the reasons */
} callbacks;

void callbacks_add(void (*start)(void), void (*end)(void), unsigned scope)
{
	struct torch_callback callback = {.start = start, .end = end, .probability = 1.0};
	callback.scopes[scope] = 1;
	if (scope != OP_USER_SCOPE)
		shapes_ask(&callback);
	uint64_t handle = frameworks.torch_add_callback(callback);
	if (scope == OP_USER_SCOPE || callbacks.count == SWITCHED)
		return;
	callbacks.handles[callbacks.count++] = handle;
	if (scope == OP_FUNCTION)
		callbacks.rare = callback;
}

bool callbacks_can_switch(void)
{
	return frameworks.torch_disable != NULL && frameworks.torch_reenable != NULL;
}

static void look_rarely(bool on)
{
	if (callbacks.has_rare) {
		(on ? frameworks.torch_reenable : frameworks.torch_disable)(callbacks.rare_handle);
	} else if (on) {
		callbacks.rare.probability = 1.0 / CALLBACKS_RARE;
		callbacks.rare_handle = frameworks.torch_add_callback(callbacks.rare);
		callbacks.has_rare = true;
	}
}

static void tell(uint32_t reasons)
{
	if (((callbacks.told & ~reasons) & CALLBACKS_HELP) != 0)
		look_rarely(false);
	if ((reasons != 0) != (callbacks.told != 0))
		for (unsigned i = 0; i < callbacks.count; i++)
			(reasons != 0 ? frameworks.torch_disable : frameworks.torch_reenable)(
				callbacks.handles[i]);
	if (((reasons & ~callbacks.told) & CALLBACKS_HELP) != 0)
		look_rarely(true);
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
