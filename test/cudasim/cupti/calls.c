/* SPDX-License-Identifier: MIT */
/* Calls: their own records, and those of what a driver's call did beside its operation. */
#include <pthread.h>
#include <string.h>

#include "../core/sim.h"
#include "cbid.h"
#include "deliver.h"
#include "settings.h"
#include "source.h"

#define INVALID_ID  UINT32_MAX /* of a stream, an event */
#define CACHE_SLOTS 2048       /* a power of two, more than there are functions */
#define CACHE_TRIES 8

enum {
	MEMORY_ALLOCATION = 1,
	MEMORY_RELEASE = 2
};

static void put_synchronization(const struct log_record *record, uint32_t type);
static void put_memory(const struct log_record *record, uint32_t type);
static void put_event(const struct log_record *record, uint32_t type);
static void put_stream(const struct log_record *record, uint32_t type);
static void put_graph(const struct log_record *record, uint32_t type);

/*
 * What a driver function leaves beside the record of its call. The type is that of the record:
 * CUpti_ActivitySynchronizationType, CUpti_ActivityMemoryOperationType.
 */
static const struct effect {
	const char *function; /* without _ptsz, _ptds */
	void (*put)(const struct log_record *record, uint32_t type);
	uint32_t type;
} effects[] = {
	{"cuEventSynchronize", put_synchronization, 1},
	{"cuStreamWaitEvent", put_synchronization, 2},
	{"cuStreamSynchronize", put_synchronization, 3},
	{"cuCtxSynchronize", put_synchronization, 4},
	{"cuCtxSynchronize_v2", put_synchronization, 4},
	{"cuMemAlloc_v2", put_memory, MEMORY_ALLOCATION},
	{"cuMemAllocPitch_v2", put_memory, MEMORY_ALLOCATION},
	{"cuMemHostAlloc", put_memory, MEMORY_ALLOCATION},
	{"cuMemAllocHost_v2", put_memory, MEMORY_ALLOCATION},
	{"cuMemAllocManaged", put_memory, MEMORY_ALLOCATION},
	{"cuMemAllocAsync", put_memory, MEMORY_ALLOCATION},
	{"cuMemAllocFromPoolAsync", put_memory, MEMORY_ALLOCATION},
	{"cuMemFree_v2", put_memory, MEMORY_RELEASE},
	{"cuMemFreeHost", put_memory, MEMORY_RELEASE},
	{"cuMemFreeAsync", put_memory, MEMORY_RELEASE},
	{"cuEventRecord", put_event, 0},
	{"cuEventRecordWithFlags", put_event, 0},
	{"cuStreamCreate", put_stream, 0},
	{"cuStreamCreateWithPriority", put_stream, 0},
	{"cuGraphLaunch", put_graph, 0},
};
static const struct effect no_effect;

static const struct effect *search(const char *function)
{
	size_t length = strlen(function);
	if (length > 5 && (!strcmp(function + length - 5, "_ptsz") ||
				  !strcmp(function + length - 5, "_ptds")))
		length -= 5;
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		if (strlen(effects[i].function) == length &&
			strncmp(effects[i].function, function, length) == 0)
			return &effects[i];
	}
	return &no_effect;
}

/* A function always names itself with the same string, so its address tells it from then on. */
static struct known {
	const char *function;
	const struct effect *effect;
	uint32_t taken;
	uint32_t wants[2]; /* outermost, inside another: 2 x the epoch, and whether wanted */
} known[CACHE_SLOTS];

/* NULL: others have the slots. */
static __attribute__((noinline)) struct known *look_for(const char *function)
{
	for (size_t i = 0; i < CACHE_TRIES; i++) {
		struct known *slot = &known[(((uintptr_t)function >> 2) + i) % CACHE_SLOTS];
		const char *owner = __atomic_load_n(&slot->function, __ATOMIC_ACQUIRE);
		if (owner == function)
			return slot;
		if (owner || __atomic_exchange_n(&slot->taken, 1, __ATOMIC_RELAXED))
			continue;
		slot->effect = search(function);
		__atomic_store_n(&slot->function, function, __ATOMIC_RELEASE);
		return slot;
	}
	return NULL;
}

static inline struct known *know(const char *function)
{
	struct known *slot = &known[((uintptr_t)function >> 2) % CACHE_SLOTS];
	const char *owner = __atomic_load_n(&slot->function, __ATOMIC_ACQUIRE);
	return owner == function ? slot : look_for(function);
}

static const struct effect *effect_of(const char *function)
{
	const struct known *slot = know(function);
	return slot ? slot->effect : search(function);
}

/* What all records of a driver's call have in common. */
static struct activity activity_of(const struct log_record *record, enum cupti_kind kind)
{
	const struct sim_detail *detail = &record->detail;
	return (struct activity){.kind = kind,
		.correlation = (uint32_t)record->api_call,
		.device = detail->device,
		.context = record->context,
		.stream = detail->set & SIM_SET_STREAM ? detail->stream : INVALID_ID,
		.id = detail->set & SIM_SET_EVENT ? detail->event : INVALID_ID,
		.process = deliver_process(),
		.begin_ns = record->begin_ns,
		.end_ns = record->end_ns};
}

static void put_synchronization(const struct log_record *record, uint32_t type)
{
	if (!source_wants(KIND_SYNCHRONIZATION, record->context))
		return;
	struct activity activity = activity_of(record, KIND_SYNCHRONIZATION);
	activity.type = type;
	source_put(&activity);
}

static void put_memory(const struct log_record *record, uint32_t type)
{
	if (!source_wants(KIND_MEMORY2, record->context) || !record->detail.address)
		return;
	struct activity activity = activity_of(record, KIND_MEMORY2);
	activity.type = type;
	activity.target = source_memory_number(record->detail.target);
	activity.address = record->detail.address;
	activity.bytes = record->detail.bytes;
	activity.asynchronous = strstr(record->what, "Async") != NULL;
	source_put(&activity);
}

/* Complete when the device has come to it. */
static void put_event(const struct log_record *record, uint32_t type)
{
	(void)type;
	if (!source_wants(KIND_CUDA_EVENT, record->context))
		return;
	struct activity activity = activity_of(record, KIND_CUDA_EVENT);
	activity.end_ns = source_event_times() ? record->detail.moment_ns : 0;
	source_put(&activity);
}

static void put_stream(const struct log_record *record, uint32_t type)
{
	(void)type;
	if (!source_wants(KIND_STREAM, record->context))
		return;
	struct activity activity = activity_of(record, KIND_STREAM);
	activity.type = record->detail.flags & 1 ? 2 : 1; /* non-blocking, default */
	source_put(&activity);
}

static void put_graph(const struct log_record *record, uint32_t type)
{
	(void)type;
	operation_end_graph(record);
}

/*
 * The number by which a client knows the call, 0: it wants no record of it. The vendor's runtime
 * enters the driver by a back door, which makes no records: a profiler takes two launches with one
 * correlation number for an error of its own.
 */
static uint32_t wanted_api(enum cupti_api api, const char *function, int is_inside)
{
	if (!source_any_function() || (is_inside && !settings_get()->nested))
		return 0;
	uint32_t id = cbid_of(api, function);
	return id != 0 && source_wants_function(api, id) ? id : 0;
}

static void put_api(const struct log_record *record)
{
	enum cupti_api api = record->layer == SIM_RUNTIME ? API_RUNTIME : API_DRIVER;
	uint32_t id = wanted_api(api, record->what, record->id != record->api_call);
	if (id == 0)
		return;
	struct activity activity = {.kind = api == API_RUNTIME ? KIND_RUNTIME : KIND_DRIVER,
		.correlation = (uint32_t)record->api_call,
		.type = id,
		.process = deliver_process(),
		.thread = source_thread_ids() ? record->tid : (uint32_t)pthread_self(),
		.result = (uint32_t)record->result,
		.begin_ns = record->begin_ns,
		.end_ns = record->end_ns};
	source_put(&activity);
}

void calls_follow(const struct log_record *record)
{
	if (record->layer == SIM_LIBRARY)
		return;
	if (record->layer == SIM_DRIVER && record->result == 0) {
		const struct effect *effect = effect_of(record->what);
		if (effect->put)
			effect->put(record, effect->type);
	}
	put_api(record);
}

static __attribute__((noinline)) int want(
	struct known *slot, const char *function, int layer, int is_inside)
{
	uint32_t epoch = source_epoch();
	enum cupti_api api = layer == SIM_RUNTIME ? API_RUNTIME : API_DRIVER;
	int wanted = (layer == SIM_DRIVER && effect_of(function)->put) ||
		     wanted_api(api, function, is_inside) != 0;
	if (slot)
		__atomic_store_n(&slot->wants[is_inside != 0], 2 * epoch | (uint32_t)wanted,
			__ATOMIC_RELAXED);
	return wanted;
}

/* Asked before every call there is: a function has one layer, and one answer in an epoch. */
int calls_want(const char *function, int layer, int is_inside)
{
	if (layer == SIM_LIBRARY)
		return 0;
	struct known *slot = know(function);
	uint32_t told = slot ? __atomic_load_n(&slot->wants[is_inside != 0], __ATOMIC_RELAXED) : 0;
	if (told / 2 == source_epoch())
		return told & 1;
	return want(slot, function, layer, is_inside);
}
