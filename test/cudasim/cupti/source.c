/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "../core/sim.h"
#include "deliver.h"
#include "settings.h"

#define MAX_PUSHED    256
#define MAX_EXTERNALS 32
#define MAX_CONTEXTS  64

static uint8_t kinds[KIND_LIMIT];
static uint8_t wanted[API_COUNT][MAX_CBID];
static int any_api;
static int system_thread_ids;
static int event_times;
static uint8_t of_context[MAX_CONTEXTS][KIND_LIMIT];
static const struct sim_private *sim;

static __thread struct {
	uint32_t kind;
	uint64_t id;
} pushed[MAX_PUSHED];
static __thread unsigned pushed_count;
static __thread uint32_t correlated; /* the last number whose external ids were written */

CUPTI_HOT int source_has_kind(uint32_t kind)
{
	return kind < KIND_LIMIT && __atomic_load_n(&kinds[kind], __ATOMIC_RELAXED);
}

CUPTI_HOT int source_wants(uint32_t kind, uint32_t context)
{
	return source_has_kind(kind) ||
	       (context < MAX_CONTEXTS &&
		       __atomic_load_n(&of_context[context][kind], __ATOMIC_RELAXED));
}

int source_wants_somewhere(uint32_t kind)
{
	int wants = source_has_kind(kind);
	for (uint32_t context = 0; context < MAX_CONTEXTS && !wants; context++)
		wants = source_wants(kind, context);
	return wants;
}

CUPTI_HOT int source_wants_function(enum cupti_api api, uint32_t id)
{
	return __atomic_load_n(&wanted[api][id], __ATOMIC_RELAXED);
}

uint32_t source_correlation(uint64_t call)
{
	uint32_t wrap = settings_get()->wrap;
	return (uint32_t)(wrap ? call % wrap : call);
}

/* Precedes the other records of this correlation; only where API records are made at all. */
static __attribute__((noinline)) void put_externals(uint32_t correlation)
{
	uint32_t seen = 0;
	if (!__atomic_load_n(&any_api, __ATOMIC_RELAXED) || pushed_count == 0 ||
		correlated == correlation)
		return;
	correlated = correlation;
	for (unsigned i = pushed_count; i-- > 0;) {
		uint32_t bit = 1u << (pushed[i].kind % MAX_EXTERNALS);
		if (seen & bit)
			continue;
		seen |= bit;
		struct activity activity = {.kind = KIND_EXTERNAL_CORRELATION,
			.correlation = correlation,
			.type = pushed[i].kind,
			.id = pushed[i].id};
		deliver_put(&activity);
	}
}

CUPTI_HOT struct activity *source_open(enum cupti_kind kind, uint64_t call)
{
	uint32_t correlation = source_correlation(call);
	if (source_has_kind(KIND_EXTERNAL_CORRELATION))
		put_externals(correlation);
	struct activity *activity = deliver_open(kind);
	if (activity)
		activity->correlation = correlation;
	return activity;
}

void source_put(const struct activity *activity)
{
	struct activity *slot = source_open(activity->kind, activity->correlation);
	if (!slot)
		return;
	uint32_t correlation = slot->correlation;
	*slot = *activity;
	slot->correlation = correlation;
	deliver_close();
}

uint8_t source_memory_number(uint8_t memory)
{
	static const uint8_t numbers[] = {
		[SIM_PAGEABLE] = 1, [SIM_PINNED] = 2, [SIM_DEVICE] = 3, [SIM_MANAGED] = 5};
	return numbers[memory & 3];
}

static CUPTI_HOT void follow(const struct log_record *record)
{
	if (record->type == LOG_OP)
		operation_follow(record);
	else if (record->type == LOG_CALL)
		calls_follow(record);
}

int source_start(void)
{
	static int started;
	Dl_info self;
	if (__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		return CUPTI_OK;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	const struct sim_private *found = driver ? dlsym(driver, "cudasim_private") : NULL;
	if (!found || found->size < sizeof(*found))
		return CUPTI_NOT_INITIALIZED;
	__atomic_store_n(&sim, found, __ATOMIC_RELEASE);
	/* From here on the driver calls into this library. */
	if (dladdr(&kinds, &self))
		(void)dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
	found->set_tap(follow, calls_want);
	callback_start();
	__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
	return CUPTI_OK;
}

const struct sim_private *source_driver(void)
{
	return __atomic_load_n(&sim, __ATOMIC_ACQUIRE);
}

/* The driver has to ask anew which calls leave something. */
static void tell_change(void)
{
	if (source_driver())
		source_driver()->tap_changed();
}

static void count_api(void)
{
	int any = 0;
	for (int id = 0; id < MAX_CBID && !any; id++)
		any = wanted[API_RUNTIME][id] || wanted[API_DRIVER][id];
	__atomic_store_n(&any_api, any, __ATOMIC_RELAXED);
	tell_change();
}

void source_enable_kind(uint32_t kind, int enable)
{
	__atomic_store_n(&kinds[kind], (uint8_t)enable, __ATOMIC_RELAXED);
	if (kind == KIND_RUNTIME)
		memset(wanted[API_RUNTIME], enable, MAX_CBID);
	if (kind == KIND_DRIVER)
		memset(wanted[API_DRIVER], enable, MAX_CBID);
	count_api();
	if (kind == KIND_CONTEXT)
		operation_forget_contexts();
	if (kind == KIND_DEVICE && enable)
		operation_put_devices();
}

int source_enable_context(uint32_t context, uint32_t kind, int enable)
{
	if (context == 0 || context >= MAX_CONTEXTS)
		return CUPTI_INVALID_PARAMETER;
	__atomic_store_n(&of_context[context][kind], (uint8_t)enable, __ATOMIC_RELAXED);
	tell_change();
	return CUPTI_OK;
}

void source_set_event_times(int enable)
{
	__atomic_store_n(&event_times, enable, __ATOMIC_RELAXED);
}

int source_event_times(void)
{
	return __atomic_load_n(&event_times, __ATOMIC_RELAXED);
}

void source_enable_function(enum cupti_api api, uint32_t id, int enable)
{
	__atomic_store_n(&wanted[api][id], (uint8_t)enable, __ATOMIC_RELAXED);
	count_api();
}

void source_set_thread_ids(int system)
{
	__atomic_store_n(&system_thread_ids, system, __ATOMIC_RELAXED);
}

int source_thread_ids(void)
{
	return __atomic_load_n(&system_thread_ids, __ATOMIC_RELAXED);
}

int source_push(uint32_t kind, uint64_t id)
{
	if (pushed_count == MAX_PUSHED)
		return CUPTI_MAX_LIMIT_REACHED;
	pushed[pushed_count].kind = kind;
	pushed[pushed_count++].id = id;
	return CUPTI_OK;
}

int source_pop(uint32_t kind, uint64_t *ret_id)
{
	for (unsigned i = pushed_count; i-- > 0;) {
		if (pushed[i].kind != kind)
			continue;
		if (ret_id)
			*ret_id = pushed[i].id;
		memmove(&pushed[i], &pushed[i + 1], (pushed_count - i - 1) * sizeof(pushed[0]));
		pushed_count--;
		return CUPTI_OK;
	}
	return CUPTI_QUEUE_EMPTY;
}
