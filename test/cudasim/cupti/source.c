/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../core/log.h"
#include "../core/sim.h"
#include "cbid.h"
#include "deliver.h"
#include "settings.h"

#define MAX_PUSHED    256
#define INVALID_ID    UINT32_MAX /* of a stream, an event */
#define MAX_EXTERNALS 32

static uint8_t kinds[KIND_LIMIT];
static uint8_t wanted[API_COUNT][MAX_CBID];
static int any_api;
static int system_thread_ids;
static uint64_t last_grid;

static __thread struct {
	uint32_t kind;
	uint64_t id;
} pushed[MAX_PUSHED];
static __thread unsigned pushed_count;
static __thread uint32_t correlated; /* the last number whose external ids were written */

int source_has_kind(uint32_t kind)
{
	return kind < KIND_LIMIT && __atomic_load_n(&kinds[kind], __ATOMIC_RELAXED);
}

/* Precedes the other records of this correlation; only where API records are made at all. */
static void put_externals(uint32_t correlation)
{
	uint32_t seen = 0;
	if (pushed_count == 0 || correlated == correlation ||
		!source_has_kind(KIND_EXTERNAL_CORRELATION) ||
		!__atomic_load_n(&any_api, __ATOMIC_RELAXED))
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

static uint8_t memory_kind(uint8_t memory)
{
	static const uint8_t numbers[] = {
		[SIM_PAGEABLE] = 1, [SIM_PINNED] = 2, [SIM_DEVICE] = 3, [SIM_MANAGED] = 5};
	return numbers[memory & 3];
}

static void put_operation(const struct log_record *record)
{
	static const uint8_t copy_kinds[] = {9, 1, 2, 8}; /* h2h, h2d, d2h, d2d */
	const struct sim_detail *detail = &record->detail;
	struct activity activity = {.correlation = (uint32_t)record->api_call,
		.device = detail->device,
		.context = record->context,
		.stream = detail->stream,
		.asynchronous = strstr(record->api_function, "Async") != NULL,
		.begin_ns = record->begin_ns,
		.end_ns = record->end_ns,
		.bytes = detail->bytes,
		.graph = detail->set & SIM_SET_GRAPH ? detail->graph : 0,
		.name = detail->name ? detail->name : "",
		.shared_bytes = detail->shared_bytes,
		.source = memory_kind(detail->source),
		.target = memory_kind(detail->target)};
	if (record->node)
		activity.node = activity.graph << 32 | record->node;
	memcpy(activity.grid, detail->grid, sizeof(activity.grid));
	memcpy(activity.block, detail->block, sizeof(activity.block));
	if (strcmp(record->what, "kernel") == 0) {
		activity.kind = source_has_kind(KIND_CONCURRENT_KERNEL) ? KIND_CONCURRENT_KERNEL
									: KIND_KERNEL;
		activity.id = __atomic_add_fetch(&last_grid, 1, __ATOMIC_RELAXED);
	} else if (strcmp(record->what, "memcpy") == 0) {
		activity.kind = KIND_MEMCPY;
		activity.type = copy_kinds[detail->kind & 3];
	} else if (strcmp(record->what, "memset") == 0) {
		activity.kind = KIND_MEMSET;
		activity.value = detail->value;
	} else {
		return; /* CUPTI knows nothing of functions of the host */
	}
	if (!source_has_kind(activity.kind))
		return;
	put_externals(activity.correlation);
	deliver_put(&activity);
}

/* What the function waits for, by CUpti_ActivitySynchronizationType; 0 if it is none of them. */
static uint32_t synchronization_type(const char *function)
{
	static const struct {
		const char *function;
		uint32_t type;
	} types[] = {{"cuEventSynchronize", 1}, {"cuStreamWaitEvent", 2},
		{"cuStreamWaitEvent_ptsz", 2}, {"cuStreamSynchronize", 3},
		{"cuStreamSynchronize_ptsz", 3}, {"cuCtxSynchronize", 4},
		{"cuCtxSynchronize_v2", 4}};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].function, function) == 0)
			return types[i].type;
	}
	return 0;
}

static void put_synchronization(const struct log_record *record)
{
	uint32_t type = synchronization_type(record->what);
	if (type == 0 || record->result || !source_has_kind(KIND_SYNCHRONIZATION))
		return;
	uint32_t set = record->detail.set;
	struct activity activity = {.kind = KIND_SYNCHRONIZATION,
		.correlation = (uint32_t)record->api_call,
		.type = type,
		.context = record->context,
		.stream = set & SIM_SET_STREAM ? record->detail.stream : INVALID_ID,
		.id = set & SIM_SET_EVENT ? record->detail.event : INVALID_ID,
		.begin_ns = record->begin_ns,
		.end_ns = record->end_ns};
	put_externals(activity.correlation);
	deliver_put(&activity);
}

static void put_call(const struct log_record *record)
{
	enum cupti_api api = record->layer == SIM_RUNTIME ? API_RUNTIME : API_DRIVER;
	if (record->layer == SIM_LIBRARY)
		return;
	if (api == API_DRIVER)
		put_synchronization(record);
	if (!__atomic_load_n(&any_api, __ATOMIC_RELAXED))
		return;
	/*
	 * The vendor's runtime enters the driver by a back door, which makes no records: a profiler
	 * takes two launches with one correlation number for an error of its own.
	 */
	if (record->id != record->api_call && !settings_get()->nested)
		return;
	uint32_t id = cbid_of(api, record->what);
	if (id == 0 || !__atomic_load_n(&wanted[api][id], __ATOMIC_RELAXED))
		return;
	struct activity activity = {.kind = api == API_RUNTIME ? KIND_RUNTIME : KIND_DRIVER,
		.correlation = (uint32_t)record->api_call,
		.type = id,
		.process = (uint32_t)getpid(),
		.thread = source_thread_ids() ? record->tid : (uint32_t)pthread_self(),
		.result = (uint32_t)record->result,
		.begin_ns = record->begin_ns,
		.end_ns = record->end_ns};
	put_externals(activity.correlation);
	deliver_put(&activity);
}

static void follow(const struct log_record *record)
{
	int saved_errno = errno;
	if (record->type == LOG_OP)
		put_operation(record);
	else if (record->type == LOG_CALL)
		put_call(record);
	errno = saved_errno;
}

int source_start(void)
{
	static int started;
	Dl_info self;
	if (__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		return CUPTI_OK;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	const struct sim_private *sim = driver ? dlsym(driver, "cudasim_private") : NULL;
	if (!sim || sim->size < sizeof(*sim))
		return CUPTI_NOT_INITIALIZED;
	/* From here on the driver calls into this library. */
	if (dladdr(&kinds, &self))
		(void)dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
	sim->set_tap(follow);
	__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
	return CUPTI_OK;
}

static void count_api(void)
{
	int any = 0;
	for (int id = 0; id < MAX_CBID && !any; id++)
		any = wanted[API_RUNTIME][id] || wanted[API_DRIVER][id];
	__atomic_store_n(&any_api, any, __ATOMIC_RELAXED);
}

void source_enable_kind(uint32_t kind, int enable)
{
	__atomic_store_n(&kinds[kind], (uint8_t)enable, __ATOMIC_RELAXED);
	if (kind == KIND_RUNTIME)
		memset(wanted[API_RUNTIME], enable, MAX_CBID);
	if (kind == KIND_DRIVER)
		memset(wanted[API_DRIVER], enable, MAX_CBID);
	count_api();
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
