/* SPDX-License-Identifier: MIT */
#include "collector/gpu/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "collector/buffer/request.h"
#include "collector/buffer/state.h"
#include "collector/gpu/buffers.h"
#include "collector/gpu/collect.h"
#include "collector/gpu/flush.h"
#include "collector/gpu/library.h"
#include "collector/gpu/state.h"
#include "collector/gpu/switch.h"
#include "collector/own/descriptor.h"

#define DRAIN_WAIT_MS 1000u

static struct {
	struct gpu_options options;
	bool has_options;
	bool opened; /* gpu_library is filled */
	char reason[GPU_REASON_BYTES];
} gpu;

static int open_library(void)
{
	if (gpu.opened)
		return 0;
	struct gpu_buffers_options buffers = {.ready = request_wake, .count = gpu_collect_count};
	int code = gpu_library_open(&gpu.options, gpu.reason);
	if (code < 0)
		return code;
	code = gpu_buffers_init(&buffers);
	if (code < 0) {
		(void)snprintf(gpu.reason, sizeof(gpu.reason), "no memory for buffers");
		return code;
	}
	code = GPU_ASK(cuptiGetVersion, &gpu_library.version);
	if (code != GPU_OK) {
		gpu_state_reason("cuptiGetVersion", code, gpu.reason);
		return -EIO;
	}
	char version[16];
	(void)snprintf(version, sizeof(version), "%u", gpu_library.version);
	state_add(META_VERSION, "cupti", NULL, version);
	gpu.opened = true;
	return 0;
}

/* The phase is taken; options are there. */
static int begin(void)
{
	int code = open_library();
	if (code == 0)
		code = gpu_switch_on(gpu.options.memory, gpu.reason);
	if (code < 0)
		gpu_state_put(code == -ENOENT ? GPU_ABSENT : GPU_FAILED, gpu.reason);
	else
		gpu_state_put(GPU_ACTIVE, NULL);
	return code;
}

/*
 * The interface opens its library and makes threads. They take the name of the thread that makes
 * them: by that the drain thread knows in the end that nothing of the program is left.
 */
static int begin_named(void)
{
	char name[16] = "";
	(void)prctl(PR_GET_NAME, name, 0, 0, 0);
	(void)prctl(PR_SET_NAME, GPU_THREAD_NAME, 0, 0, 0);
	descriptor_hold();
	int code = begin();
	descriptor_release();
	(void)prctl(PR_SET_NAME, name, 0, 0, 0);
	return code;
}

int gpu_start(const struct gpu_options *options)
{
	int saved = errno, code = 0;
	enum gpu_phase was;
	if (gpu_state_take(GPU_BIT(GPU_IDLE) | GPU_BIT(GPU_YIELDED), &was)) {
		if (!gpu.has_options)
			gpu.options = *options;
		gpu.has_options = true;
		if (was == GPU_IDLE)
			code = begin_named();
		else
			gpu_state_put(GPU_YIELDED, NULL);
	}
	errno = saved;
	return code;
}

/* After a flush: next, or what its failure leads to. */
static void put_after(int code, enum gpu_phase next, const char *reason)
{
	if (code == -ETIMEDOUT)
		gpu_state_use(false);
	if (code < 0)
		gpu_state_put(code == -ETIMEDOUT ? GPU_DEAD : GPU_FAILED, gpu.reason);
	else
		gpu_state_put(next, reason);
}

void gpu_flush(void)
{
	int saved = errno;
	enum gpu_phase was;
	if (gpu_state_take(GPU_BIT(GPU_ACTIVE), &was))
		put_after(gpu_flush_all(gpu.options.keep_off, gpu.reason), GPU_ACTIVE, NULL);
	errno = saved;
}

/*
 * Kinds stay on: CUDA may be on its way out. What comes back is read before the caller goes on,
 * because the library may be torn down next.
 */
void gpu_stop(void)
{
	int saved = errno, code = 0;
	enum gpu_phase was;
	if (gpu_state_take(GPU_BIT(GPU_ACTIVE) | GPU_BIT(GPU_FAILED), &was)) {
		if (gpu_state_is_usable())
			code = gpu_flush_all(gpu.options.keep_off, gpu.reason);
		if (code != -ETIMEDOUT) {
			(void)request_flush(DRAIN_WAIT_MS);
			gpu_collect_ask_dropped();
		}
		gpu_state_use(false);
		put_after(code, was == GPU_FAILED ? GPU_FAILED : GPU_ENDED, NULL);
	}
	errno = saved;
}

void gpu_continue(void)
{
	int saved = errno;
	enum gpu_phase was;
	if (gpu_state_take(GPU_BIT(GPU_ENDED), &was)) {
		gpu_state_use(true);
		gpu_state_put(GPU_ACTIVE, NULL);
	}
	errno = saved;
}

/*
 * What is on is ours, for the other has not begun: it is switched off, so that its clock can be
 * registered and our buffers do not come to its callbacks; the forced flush brings them back.
 */
void gpu_yield(const char *who)
{
	int saved = errno, code = 0;
	enum gpu_phase was;
	if (gpu_state_take(GPU_BIT(GPU_ACTIVE) | GPU_BIT(GPU_IDLE), &was)) {
		if (was == GPU_ACTIVE) {
			gpu_switch_off();
			code = gpu_flush_all(gpu.options.keep_off, gpu.reason);
			if (code != -ETIMEDOUT) {
				gpu_collect_ask_dropped();
				gpu_switch_leave();
			}
			gpu_state_use(false);
		}
		put_after(code, GPU_YIELDED, who);
	}
	errno = saved;
}

void gpu_resume(void)
{
	int saved = errno;
	enum gpu_phase was;
	if (gpu_state_take(GPU_BIT(GPU_YIELDED), &was)) {
		if (gpu.has_options)
			(void)begin();
		else
			gpu_state_put(GPU_IDLE, NULL);
	}
	errno = saved;
}

bool gpu_is_calling(void)
{
	return gpu_calling != 0;
}

void gpu_after_fork(void)
{
	gpu_calling = 0;
	if (!gpu_state_after_fork())
		return;
	gpu_buffers_forget();
}
