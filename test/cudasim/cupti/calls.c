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
	enum cupti_kind kind; /* that has to be enabled; 0: any or none */
} effects[] = {
	{"cuEventSynchronize", put_synchronization, 1, KIND_SYNCHRONIZATION},
	{"cuStreamWaitEvent", put_synchronization, 2, KIND_SYNCHRONIZATION},
	{"cuStreamSynchronize", put_synchronization, 3, KIND_SYNCHRONIZATION},
	{"cuCtxSynchronize", put_synchronization, 4, KIND_SYNCHRONIZATION},
	{"cuCtxSynchronize_v2", put_synchronization, 4, KIND_SYNCHRONIZATION},
	{"cuMemAlloc_v2", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemAllocPitch_v2", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemHostAlloc", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemAllocHost_v2", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemAllocManaged", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemAllocAsync", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemAllocFromPoolAsync", put_memory, MEMORY_ALLOCATION, KIND_MEMORY2},
	{"cuMemFree_v2", put_memory, MEMORY_RELEASE, KIND_MEMORY2},
	{"cuMemFreeHost", put_memory, MEMORY_RELEASE, KIND_MEMORY2},
	{"cuMemFreeAsync", put_memory, MEMORY_RELEASE, KIND_MEMORY2},
	{"cuEventRecord", put_event, 0, KIND_CUDA_EVENT},
	{"cuEventRecordWithFlags", put_event, 0, KIND_CUDA_EVENT},
	{"cuStreamCreate", put_stream, 0, KIND_STREAM},
	{"cuStreamCreateWithPriority", put_stream, 0, KIND_STREAM},
	{"cuGraphLaunch", put_graph, 0, 0},
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

/*
 * What is known of a function by its name. It always names itself with the same string, so its
 * address tells it from then on.
 */
struct facts {
	const struct effect *effect;
	uint32_t id; /* 0: CUPTI does not know it */
};

static struct known {
	const char *function;
	struct facts facts;
	uint32_t taken;
} known[CACHE_SLOTS];

static enum cupti_api api_of(int layer)
{
	return layer == SIM_RUNTIME ? API_RUNTIME : API_DRIVER;
}

static struct facts find_facts(const char *function, int layer)
{
	return (struct facts){.effect = layer == SIM_DRIVER ? search(function) : &no_effect,
		.id = cbid_of(api_of(layer), function)};
}

/* NULL: others have the slots. */
static __attribute__((noinline)) struct known *look_for(const char *function, int layer)
{
	for (size_t i = 0; i < CACHE_TRIES; i++) {
		struct known *slot = &known[(((uintptr_t)function >> 2) + i) % CACHE_SLOTS];
		const char *owner = __atomic_load_n(&slot->function, __ATOMIC_ACQUIRE);
		if (owner == function)
			return slot;
		if (owner || __atomic_exchange_n(&slot->taken, 1, __ATOMIC_RELAXED))
			continue;
		slot->facts = find_facts(function, layer);
		__atomic_store_n(&slot->function, function, __ATOMIC_RELEASE);
		return slot;
	}
	return NULL;
}

static inline struct facts facts_of(const char *function, int layer)
{
	const struct known *slot = &known[((uintptr_t)function >> 2) % CACHE_SLOTS];
	if (__atomic_load_n(&slot->function, __ATOMIC_ACQUIRE) != function)
		slot = look_for(function, layer);
	return slot ? slot->facts : find_facts(function, layer);
}

/* What all records of a driver's call have in common. */
static struct activity activity_of(const struct log_record *record, enum cupti_kind kind)
{
	const struct sim_detail *detail = record->detail;
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
	struct activity activity = activity_of(record, KIND_SYNCHRONIZATION);
	activity.type = type;
	source_put(&activity);
}

static void put_memory(const struct log_record *record, uint32_t type)
{
	if (!record->detail->address)
		return;
	struct activity activity = activity_of(record, KIND_MEMORY2);
	activity.type = type;
	activity.target = source_memory_number(record->detail->target);
	activity.address = record->detail->address;
	activity.bytes = record->detail->bytes;
	activity.asynchronous = strstr(record->what, "Async") != NULL;
	source_put(&activity);
}

/* Complete when the device has come to it. */
static void put_event(const struct log_record *record, uint32_t type)
{
	(void)type;
	struct activity activity = activity_of(record, KIND_CUDA_EVENT);
	activity.end_ns = source_event_times() ? record->detail->moment_ns : 0;
	source_put(&activity);
}

static void put_stream(const struct log_record *record, uint32_t type)
{
	(void)type;
	struct activity activity = activity_of(record, KIND_STREAM);
	activity.type = record->detail->flags & 1 ? 2 : 1; /* non-blocking, default */
	source_put(&activity);
}

static void put_graph(const struct log_record *record, uint32_t type)
{
	(void)type;
	operation_end_graph(record);
}

/*
 * Whether a client wants a record of the call. The vendor's runtime enters the driver by a back
 * door, which makes no records: a profiler takes two launches with one correlation number for an
 * error of its own.
 */
static int wants_api(enum cupti_api api, uint32_t id, int is_inside)
{
	return id != 0 && source_wants_function(api, id) && (!is_inside || settings_get()->nested);
}

static void put_api(const struct log_record *record, uint32_t id)
{
	enum cupti_api api = api_of(record->layer);
	if (!wants_api(api, id, record->id != record->api_call))
		return;
	struct activity *activity =
		source_open(api == API_RUNTIME ? KIND_RUNTIME : KIND_DRIVER, record->api_call);
	if (!activity)
		return;
	activity->type = id;
	activity->process = deliver_process();
	activity->thread = source_thread_ids() ? record->tid : (uint32_t)pthread_self();
	activity->result = (uint32_t)record->result;
	activity->begin_ns = record->begin_ns;
	activity->end_ns = record->end_ns;
	deliver_close();
}

CUPTI_HOT void calls_follow(const struct log_record *record)
{
	if (record->layer == SIM_LIBRARY)
		return;
	struct facts facts = facts_of(record->what, record->layer);
	const struct effect *effect = facts.effect;
	if (effect->put && record->result == 0 &&
		(!effect->kind || source_wants(effect->kind, record->context)))
		effect->put(record, effect->type);
	put_api(record, facts.id);
}

int calls_want(const char *function, int layer, int is_inside)
{
	if (layer == SIM_LIBRARY)
		return 0;
	struct facts facts = facts_of(function, layer);
	const struct effect *effect = facts.effect;
	return (effect->put && (!effect->kind || source_wants_somewhere(effect->kind))) ||
	       wants_api(api_of(layer), facts.id, is_inside);
}
