/* SPDX-License-Identifier: MIT */
/* Operations of the device, the graphs and contexts they belong to, and the devices themselves. */
#include <string.h>

#include "../core/sim.h"
#include "deliver.h"
#include "source.h"

#define MAX_CONTEXTS  64
#define MAX_DEVICES   16
#define LEGACY_STREAM 7
#define MEMORY_ARRAY  4

static uint64_t last_grid;
static uint8_t announced[MAX_CONTEXTS];
static struct sim_device devices[MAX_DEVICES];

/* Of the graph that the thread launches: what its operations have in common, from first to last. */
static __thread struct {
	uint64_t launch; /* number of the driver's call, 0: none */
	struct activity activity;
} graph;

static void announce_context(uint32_t context, uint32_t device)
{
	if (context >= MAX_CONTEXTS || !source_has_kind(KIND_CONTEXT) ||
		__atomic_exchange_n(&announced[context], 1, __ATOMIC_RELAXED))
		return;
	struct activity activity = {.kind = KIND_CONTEXT,
		.context = context,
		.device = device,
		.stream = LEGACY_STREAM,
		.process = deliver_process()};
	deliver_put(&activity);
}

void operation_forget_contexts(void)
{
	for (int i = 0; i < MAX_CONTEXTS; i++)
		__atomic_store_n(&announced[i], 0, __ATOMIC_RELAXED);
}

void operation_put_devices(void)
{
	const struct sim_private *driver = source_driver();
	for (int i = 0; driver && i < MAX_DEVICES; i++) {
		if (driver->describe_device(i, &devices[i]))
			return;
		struct activity activity = {
			.kind = KIND_DEVICE, .device = (uint32_t)i, .facts = &devices[i]};
		deliver_put(&activity);
	}
}

/* 1 if the operation goes into its graph's one record. */
static int gather(const struct log_record *record, const struct activity *activity)
{
	if (!record->node || !source_wants(KIND_GRAPH_TRACE, record->context))
		return 0;
	if (graph.launch != record->parent) {
		graph.launch = record->parent;
		graph.activity = *activity;
		graph.activity.kind = KIND_GRAPH_TRACE;
	}
	if (record->begin_ns < graph.activity.begin_ns)
		graph.activity.begin_ns = record->begin_ns;
	if (record->end_ns > graph.activity.end_ns)
		graph.activity.end_ns = record->end_ns;
	return 1;
}

void operation_end_graph(const struct log_record *call)
{
	if (graph.launch != call->id)
		return;
	graph.launch = 0;
	source_put(&graph.activity);
}

/* Says what kind of record it is. Returns 0 if CUPTI knows nothing of it. */
static int classify(const struct log_record *record, struct activity *activity)
{
	/* h2h, h2d, d2h, d2d; with an array as source, as target, as both */
	static const uint8_t copy_kinds[4][4] = {
		{9, 1, 2, 8}, {9, 1, 4, 6}, {9, 3, 2, 7}, {9, 3, 4, 5}};
	const struct sim_detail *detail = &record->detail;
	if (strcmp(record->what, "kernel") == 0) {
		activity->kind = source_wants(KIND_CONCURRENT_KERNEL, record->context)
					 ? KIND_CONCURRENT_KERNEL
					 : KIND_KERNEL;
		activity->id = __atomic_add_fetch(&last_grid, 1, __ATOMIC_RELAXED);
		return 1;
	}
	activity->asynchronous = strstr(record->api_function, "Async") != NULL;
	if (strcmp(record->what, "memcpy") == 0) {
		activity->kind = detail->set & SIM_SET_PEER ? KIND_MEMCPY2 : KIND_MEMCPY;
		activity->type = copy_kinds[detail->arrays & 3][detail->kind & 3];
	} else if (strcmp(record->what, "memset") == 0) {
		activity->kind = KIND_MEMSET;
		activity->value = detail->value;
	} else {
		return 0;
	}
	return 1;
}

void operation_follow(const struct log_record *record)
{
	const struct sim_detail *detail = &record->detail;
	struct activity activity = {.correlation = (uint32_t)record->api_call,
		.device = detail->device,
		.context = record->context,
		.stream = detail->stream,
		.begin_ns = record->begin_ns,
		.end_ns = record->end_ns,
		.bytes = detail->bytes,
		.graph = detail->set & SIM_SET_GRAPH ? detail->graph : 0,
		.name = detail->name ? detail->name : "",
		.shared_bytes = detail->shared_bytes,
		.source_device = detail->source_device,
		.target_device = detail->target_device,
		.source = source_memory_number(detail->source),
		.target = source_memory_number(detail->target)};
	if (detail->arrays & 1)
		activity.source = MEMORY_ARRAY;
	if (detail->arrays & 2)
		activity.target = MEMORY_ARRAY;
	if (record->node)
		activity.node = activity.graph << 32 | record->node;
	memcpy(activity.grid, detail->grid, sizeof(activity.grid));
	memcpy(activity.block, detail->block, sizeof(activity.block));
	announce_context(record->context, detail->device);
	if (!classify(record, &activity) || gather(record, &activity) ||
		!source_wants(activity.kind, record->context))
		return;
	source_put(&activity);
}
