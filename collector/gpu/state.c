/* SPDX-License-Identifier: MIT */
#include "collector/gpu/state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector/base/clock.h"
#include "collector/buffer/request.h"
#include "collector/buffer/state.h"
#include "collector/gpu/library.h"

#define WAIT_NS      2000000000ull
#define CHANGE_LIMIT 64u

static struct {
	uint32_t phase; /* enum gpu_phase */
	uint32_t usable;
	enum gpu_phase told;
	uint32_t has_failure; /* failure is to be told with the next phase */
	char failure[GPU_REASON_BYTES];
	/* Not yet in the file; added by whoever has taken the phase. */
	struct {
		enum source_state state;
		uint64_t ns;
	} changes[CHANGE_LIMIT];
	uint32_t added, taken;
} state;

enum gpu_phase gpu_state_phase(void)
{
	return (enum gpu_phase)__atomic_load_n(&state.phase, __ATOMIC_ACQUIRE);
}

void gpu_state_use(bool usable)
{
	__atomic_store_n(&state.usable, usable, __ATOMIC_RELEASE);
}

bool gpu_state_is_usable(void)
{
	return __atomic_load_n(&state.usable, __ATOMIC_ACQUIRE) != 0;
}

bool gpu_state_take(unsigned phases, enum gpu_phase *ret_was)
{
	static const struct timespec pause = {0, 100000};
	uint64_t until_ns = clock_monotonic_ns() + WAIT_NS;
	for (;;) {
		uint32_t phase = gpu_state_phase();
		if (phase == GPU_BUSY) {
			if (clock_monotonic_ns() >= until_ns)
				return false;
			(void)nanosleep(&pause, NULL);
			continue;
		}
		if ((phases & GPU_BIT(phase)) == 0)
			return false;
		if (!__atomic_compare_exchange_n(&state.phase, &phase, GPU_BUSY, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		*ret_was = (enum gpu_phase)phase;
		return true;
	}
}

static void add_change(enum source_state value)
{
	uint32_t count = state.added;
	if (count - __atomic_load_n(&state.taken, __ATOMIC_ACQUIRE) == CHANGE_LIMIT)
		return;
	state.changes[count % CHANGE_LIMIT].state = value;
	state.changes[count % CHANGE_LIMIT].ns = clock_monotonic_ns();
	__atomic_store_n(&state.added, count + 1, __ATOMIC_RELEASE);
	request_wake();
}

bool gpu_state_next(enum source_state *ret_state, uint64_t *ret_ns)
{
	uint32_t taken = state.taken;
	if (taken == __atomic_load_n(&state.added, __ATOMIC_ACQUIRE))
		return false;
	*ret_state = state.changes[taken % CHANGE_LIMIT].state;
	*ret_ns = state.changes[taken % CHANGE_LIMIT].ns;
	__atomic_store_n(&state.taken, taken + 1, __ATOMIC_RELEASE);
	return true;
}

static void tell(enum gpu_phase phase, const char *reason)
{
	switch (phase) {
	case GPU_ACTIVE:
		state_add(META_SOURCE, "activity", "active", "");
		add_change(SOURCE_ACTIVE);
		break;
	case GPU_YIELDED:
		state_add(META_SOURCE, "activity", "yielded", reason);
		add_change(SOURCE_YIELDED);
		break;
	case GPU_FAILED:
	case GPU_DEAD:
		state_add(META_SOURCE, "activity", "failed", reason);
		add_change(SOURCE_FAILED);
		break;
	case GPU_ABSENT:
		state_add(META_SOURCE, "activity", "absent", reason);
		break;
	case GPU_ENDED:
		add_change(SOURCE_ENDED);
		break;
	default:
		state_add(META_SOURCE, "activity", "absent", GPU_NOT_NEEDED);
		break;
	}
}

void gpu_state_put(enum gpu_phase phase, const char *reason)
{
	if ((phase == GPU_ACTIVE || phase == GPU_ENDED) &&
		__atomic_exchange_n(&state.has_failure, 0, __ATOMIC_ACQUIRE) == 2) {
		phase = GPU_FAILED;
		reason = state.failure;
	}
	if (phase != state.told)
		tell(phase, reason);
	state.told = phase;
	__atomic_store_n(&state.phase, phase, __ATOMIC_RELEASE);
}

void gpu_state_reason(const char *function, int code, char *ret_reason)
{
	const char *name = NULL;
	if (gpu_library.cuptiGetResultString != NULL &&
		GPU_ASK(cuptiGetResultString, code, &name) != GPU_OK)
		name = NULL;
	if (name != NULL)
		(void)snprintf(ret_reason, GPU_REASON_BYTES, "%s: %s (%d)", function, name, code);
	else
		(void)snprintf(ret_reason, GPU_REASON_BYTES, "%s: error %d", function, code);
}

void gpu_state_failed(const char *function, int code)
{
	enum gpu_phase phase = gpu_state_phase();
	uint32_t none = 0, active = GPU_ACTIVE;
	if ((phase != GPU_ACTIVE && phase != GPU_BUSY) ||
		!__atomic_compare_exchange_n(
			&state.has_failure, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	gpu_state_reason(function, code, state.failure);
	__atomic_store_n(&state.has_failure, 2, __ATOMIC_RELEASE);
	if (__atomic_compare_exchange_n(
		    &state.phase, &active, GPU_BUSY, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		gpu_state_put(GPU_ACTIVE, NULL);
}

bool gpu_state_after_fork(void)
{
	bool begun = gpu_state_phase() != GPU_IDLE;
	if (begun)
		state_add(META_SOURCE, "activity", "absent",
			"forked after the device was in use: CUPTI is lost");
	memset(&state, 0, sizeof(state));
	state.phase = begun ? GPU_DEAD : GPU_IDLE;
	return begun;
}
