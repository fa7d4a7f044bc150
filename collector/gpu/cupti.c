/* SPDX-License-Identifier: MIT */
/*
 * Device activity through CUPTI's activity interface: when it begins, yields and ends. Reading is
 * in gpu_collect.c, buffers are in gpu_buffers.c.
 *
 * Flushes run on a thread of their own, because they are known to hang: whoever wants one waits for
 * it two seconds, and after a hang the library is not called again. cuptiFinalize is never
 * called: it crashes processes that still use the device.
 */
#include "collector/gpu/gpu.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/gpu/buffers.h"
#include "collector/gpu/collect.h"
#include "collector/gpu/library.h"
#include "collector/gpu/state.h"

#define FLUSH_PERIOD_MS 100u
#define FLUSH_FORCED    1u
#define FLUSH_WAIT_NS   2000000000ull
#define DRAIN_WAIT_MS   1000u
#define SYSTEM_THREADS  1
#define KIND_DRIVER     4u
#define KIND_RUNTIME    5u

/* Kinds by name. */
enum {
#define CUPTI_RECORD(RECORD, kind, name) KIND_##RECORD = (kind),
#include "collector/gpu/cupti.def"
};

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
	struct gpu_options options;
	bool has_options;
	bool opened; /* gpu_library is filled */
	bool enabled[KIND_COUNT];
	bool calls_enabled;      /* one by one */
	bool call_kinds_enabled; /* RUNTIME and DRIVER as a whole */
	int thread_ids;          /* how threads were named before */
	char reason[GPU_REASON_BYTES];
	struct {
		uint32_t done; /* a futex */
		uint32_t flags;
		int answer;
	} flush;
} gpu;

static bool has_single_calls(void)
{
	return gpu_library.cuptiActivityEnableRuntimeApi != NULL &&
	       gpu_library.cuptiActivityEnableDriverApi != NULL;
}

static int fail(const char *function, int code)
{
	gpu_state_reason(function, code, gpu.reason);
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

/* Errors are not looked at: this is how everything is left. */
static void disable_all(void)
{
	for (unsigned i = 0; i < KIND_COUNT; i++)
		if (gpu.enabled[i])
			(void)GPU_ASK(cuptiActivityDisable, kinds[i].kind);
	for (unsigned i = 0; gpu.calls_enabled && i < CALL_COUNT; i++)
		(void)ask_single_call(i, 0);
	if (gpu.call_kinds_enabled) {
		(void)GPU_ASK(cuptiActivityDisable, KIND_RUNTIME);
		(void)GPU_ASK(cuptiActivityDisable, KIND_DRIVER);
	}
	memset(gpu.enabled, 0, sizeof(gpu.enabled));
	gpu.calls_enabled = gpu.call_kinds_enabled = false;
}

/* The next one finds threads named as we found them. */
static void restore_thread_ids(void)
{
	if (gpu.thread_ids != SYSTEM_THREADS)
		(void)GPU_ASK(cuptiSetThreadIdType, gpu.thread_ids);
}

static int enable_kinds(void)
{
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		if (kinds[i].kind == KIND_MEMORY2 && !gpu.options.memory)
			continue;
		int code = GPU_ASK(cuptiActivityEnable, kinds[i].kind);
		gpu.enabled[i] = code == GPU_OK;
		if (code != GPU_OK && (kinds[i].needed || !is_unknown(code)))
			return fail("cuptiActivityEnable", code);
	}
	return 0;
}

static int enable_calls(void)
{
	if (!has_single_calls()) {
		int code = GPU_ASK(cuptiActivityEnable, KIND_RUNTIME);
		gpu.call_kinds_enabled = true;
		if (code == GPU_OK)
			code = GPU_ASK(cuptiActivityEnable, KIND_DRIVER);
		return code == GPU_OK ? 0 : fail("cuptiActivityEnable", code);
	}
	gpu.calls_enabled = true;
	for (unsigned i = 0; i < CALL_COUNT; i++) {
		int code = ask_single_call(i, 1);
		if (code != GPU_OK && !is_unknown(code))
			return fail(calls[i].domain == 0 ? "cuptiActivityEnableRuntimeApi"
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
static int register_all(void)
{
	if (gpu_library.cuptiGetThreadIdType == NULL ||
		GPU_ASK(cuptiGetThreadIdType, &gpu.thread_ids) != GPU_OK)
		gpu.thread_ids = SYSTEM_THREADS;
	int code = GPU_ASK(cuptiSetThreadIdType, SYSTEM_THREADS);
	if (code != GPU_OK)
		return fail("cuptiSetThreadIdType", code);
	code = GPU_ASK(cuptiActivityRegisterTimestampCallback, timestamp);
	if (code != GPU_OK)
		return fail("cuptiActivityRegisterTimestampCallback", code);
	code = GPU_ASK(cuptiActivityRegisterCallbacks, gpu_buffers_request, gpu_buffers_complete);
	if (code != GPU_OK)
		return fail("cuptiActivityRegisterCallbacks", code);
	if (gpu_library.cuptiActivityFlushPeriod != NULL) {
		code = GPU_ASK(cuptiActivityFlushPeriod, FLUSH_PERIOD_MS);
		if (code != GPU_OK && !is_unknown(code))
			return fail("cuptiActivityFlushPeriod", code);
	}
	return 0;
}

static int enable_all(void)
{
	int code = register_all();
	if (code == 0)
		code = enable_kinds();
	if (code == 0)
		code = enable_calls();
	if (code < 0)
		disable_all();
	gpu_state_use(code == 0);
	return code;
}

static int open_library(void)
{
	if (gpu.opened)
		return 0;
	struct gpu_buffers_options buffers = {.limit = gpu.options.buffer_limit,
		.ready = collector_wake,
		.count = gpu_collect_count};
	int code = gpu_library_open(&gpu.options, gpu.reason);
	if (code < 0)
		return code;
	code = gpu_buffers_init(&buffers);
	if (code < 0) {
		(void)snprintf(gpu.reason, sizeof(gpu.reason), "no memory for buffers");
		return code;
	}
	code = GPU_ASK(cuptiGetVersion, &gpu_library.version);
	if (code != GPU_OK)
		return fail("cuptiGetVersion", code);
	char version[16];
	(void)snprintf(version, sizeof(version), "%u", gpu_library.version);
	collector_version("cupti", version);
	gpu.opened = true;
	return 0;
}

/* The phase is taken; options are there. */
static int begin(void)
{
	int code = open_library();
	if (code == 0)
		code = enable_all();
	if (code < 0)
		gpu_state_put(code == -ENOENT ? GPU_ABSENT : GPU_FAILED, gpu.reason);
	else
		gpu_state_put(GPU_ACTIVE, NULL);
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
			code = begin();
		else
			gpu_state_put(GPU_YIELDED, NULL);
	}
	errno = saved;
	return code;
}

static void *flush_thread(void *unused)
{
	(void)unused;
	if (gpu.options.keep_off != NULL)
		gpu.options.keep_off();
	int answer = GPU_ASK(cuptiActivityFlushAll, gpu.flush.flags);
	gpu.flush.answer = answer;
	__atomic_store_n(&gpu.flush.done, 1, __ATOMIC_RELEASE);
	(void)syscall(SYS_futex, &gpu.flush.done, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

static int make_flush_thread(void)
{
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before);
	int code = pthread_create(&thread, NULL, flush_thread, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code == 0)
		(void)pthread_detach(thread);
	return -code;
}

/* 0; a negative code with gpu.reason; -ETIMEDOUT: it is not to be called any more. */
static int flush_all(uint32_t flags)
{
	uint64_t until_ns = clock_monotonic_ns() + FLUSH_WAIT_NS;
	gpu.flush.flags = flags;
	__atomic_store_n(&gpu.flush.done, 0, __ATOMIC_RELEASE);
	/* Not on this thread: nothing bounds how long it takes. */
	if (make_flush_thread() < 0) {
		(void)snprintf(gpu.reason, sizeof(gpu.reason),
			"cuptiActivityFlushAll: no thread can be made for it");
		return -EAGAIN;
	}
	while (!__atomic_load_n(&gpu.flush.done, __ATOMIC_ACQUIRE)) {
		uint64_t now_ns = clock_monotonic_ns();
		if (now_ns >= until_ns) {
			(void)snprintf(gpu.reason, sizeof(gpu.reason),
				"cuptiActivityFlushAll does not return");
			return -ETIMEDOUT;
		}
		struct timespec left = {(time_t)((until_ns - now_ns) / 1000000000ull),
			(long)((until_ns - now_ns) % 1000000000ull)};
		(void)syscall(SYS_futex, &gpu.flush.done, FUTEX_WAIT_PRIVATE, 0, &left, NULL, 0);
	}
	return gpu.flush.answer == GPU_OK ? 0 : fail("cuptiActivityFlushAll", gpu.flush.answer);
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
		put_after(flush_all(FLUSH_FORCED), GPU_ACTIVE, NULL);
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
			code = flush_all(FLUSH_FORCED);
		if (code != -ETIMEDOUT) {
			(void)collector_flush(DRAIN_WAIT_MS);
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
			disable_all();
			code = flush_all(FLUSH_FORCED);
			if (code != -ETIMEDOUT) {
				gpu_collect_ask_dropped();
				restore_thread_ids();
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
