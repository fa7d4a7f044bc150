/* SPDX-License-Identifier: MIT */
#include "collector/gpu/switch.h"

#include <errno.h>
#include <string.h>

#include "collector/base/clock.h"
#include "collector/gpu/buffers.h"
#include "collector/gpu/library.h"
#include "collector/gpu/records.h"
#include "collector/gpu/state.h"

#define FLUSH_PERIOD_MS 100u
#define SYSTEM_THREADS  1

static const struct {
	uint16_t kind;
	bool needed; /* else it is done without where a release does not have it */
} kinds[] = {{KIND_KERNEL, true}, {KIND_MEMCPY, true}, {KIND_MEMSET, true}, {KIND_MEMCPY2, false},
	{KIND_SYNCHRONIZATION, false}, {KIND_OVERHEAD, false}, {KIND_DEVICE, false},
	{KIND_MEMORY2, false}};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* By domain: 0 runtime, 1 driver. */
static const struct {
	uint16_t domain, number;
} calls[] = {
#define RUNTIME                        0
#define DRIVER                         1
#define GPU_CALL(domain, number, name) {domain, number},
#include "collector/gpu/calls.def"
#undef RUNTIME
#undef DRIVER
};

#define CALL_COUNT (sizeof(calls) / sizeof(calls[0]))

static struct {
	bool kinds[KIND_COUNT];
	bool calls;      /* one by one */
	bool call_kinds; /* RUNTIME and DRIVER as a whole */
	int thread_ids;  /* how threads were named before */
} on;

static bool has_single_calls(void)
{
	return gpu_library.cuptiActivityEnableRuntimeApi != NULL &&
	       gpu_library.cuptiActivityEnableDriverApi != NULL;
}

static int fail(char *ret_reason, const char *function, int code)
{
	gpu_state_reason(function, code, ret_reason);
	return -EIO;
}

/* A kind, number or function that this release does not have. */
static bool is_unknown(int code)
{
	return code == GPU_INVALID_KIND || code == GPU_NOT_SUPPORTED ||
	       code == GPU_INVALID_PARAMETER;
}

static int ask_single_call(unsigned i, uint8_t enable)
{
	return calls[i].domain == 0
		       ? GPU_ASK(cuptiActivityEnableRuntimeApi, calls[i].number, enable)
		       : GPU_ASK(cuptiActivityEnableDriverApi, calls[i].number, enable);
}

void gpu_switch_off(void)
{
	for (unsigned i = 0; i < KIND_COUNT; i++)
		if (on.kinds[i])
			(void)GPU_ASK(cuptiActivityDisable, kinds[i].kind);
	for (unsigned i = 0; on.calls && i < CALL_COUNT; i++)
		(void)ask_single_call(i, 0);
	if (on.call_kinds) {
		(void)GPU_ASK(cuptiActivityDisable, KIND_RUNTIME);
		(void)GPU_ASK(cuptiActivityDisable, KIND_DRIVER);
	}
	memset(on.kinds, 0, sizeof(on.kinds));
	on.calls = on.call_kinds = false;
}

void gpu_switch_leave(void)
{
	if (on.thread_ids != SYSTEM_THREADS)
		(void)GPU_ASK(cuptiSetThreadIdType, on.thread_ids);
}

static int enable_kinds(bool memory, char *ret_reason)
{
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		if (kinds[i].kind == KIND_MEMORY2 && !memory)
			continue;
		int code = GPU_ASK(cuptiActivityEnable, kinds[i].kind);
		on.kinds[i] = code == GPU_OK;
		if (code != GPU_OK && (kinds[i].needed || !is_unknown(code)))
			return fail(ret_reason, "cuptiActivityEnable", code);
	}
	return 0;
}

static int enable_calls(char *ret_reason)
{
	if (!has_single_calls()) {
		int code = GPU_ASK(cuptiActivityEnable, KIND_RUNTIME);
		on.call_kinds = true;
		if (code == GPU_OK)
			code = GPU_ASK(cuptiActivityEnable, KIND_DRIVER);
		return code == GPU_OK ? 0 : fail(ret_reason, "cuptiActivityEnable", code);
	}
	on.calls = true;
	for (unsigned i = 0; i < CALL_COUNT; i++) {
		int code = ask_single_call(i, 1);
		if (code != GPU_OK && !is_unknown(code))
			return fail(ret_reason,
				calls[i].domain == 0 ? "cuptiActivityEnableRuntimeApi"
						     : "cuptiActivityEnableDriverApi",
				code);
	}
	return 0;
}

static uint64_t timestamp(void)
{
	return clock_monotonic_ns();
}

/* The clock must be ours before any kind is on. */
static int register_all(char *ret_reason)
{
	if (gpu_library.cuptiGetThreadIdType == NULL ||
		GPU_ASK(cuptiGetThreadIdType, &on.thread_ids) != GPU_OK)
		on.thread_ids = SYSTEM_THREADS;
	int code = GPU_ASK(cuptiSetThreadIdType, SYSTEM_THREADS);
	if (code != GPU_OK)
		return fail(ret_reason, "cuptiSetThreadIdType", code);
	code = GPU_ASK(cuptiActivityRegisterTimestampCallback, timestamp);
	if (code != GPU_OK)
		return fail(ret_reason, "cuptiActivityRegisterTimestampCallback", code);
	code = GPU_ASK(cuptiActivityRegisterCallbacks, gpu_buffers_request, gpu_buffers_complete);
	if (code != GPU_OK)
		return fail(ret_reason, "cuptiActivityRegisterCallbacks", code);
	if (gpu_library.cuptiActivityFlushPeriod != NULL) {
		code = GPU_ASK(cuptiActivityFlushPeriod, FLUSH_PERIOD_MS);
		if (code != GPU_OK && !is_unknown(code))
			return fail(ret_reason, "cuptiActivityFlushPeriod", code);
	}
	return 0;
}

int gpu_switch_on(bool memory, char *ret_reason)
{
	int code = register_all(ret_reason);
	if (code == 0)
		code = enable_kinds(memory, ret_reason);
	if (code == 0)
		code = enable_calls(ret_reason);
	if (code < 0)
		gpu_switch_off();
	gpu_state_use(code == 0);
	return code;
}
