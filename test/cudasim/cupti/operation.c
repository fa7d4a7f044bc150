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

/* The kind of record that it has. 0 if CUPTI knows nothing of it. */
static enum cupti_kind kind_of(const struct log_record *record)
{
	switch (record->op) {
	case OP_KERNEL:
		return source_wants(KIND_CONCURRENT_KERNEL, record->context)
			       ? KIND_CONCURRENT_KERNEL
			       : KIND_KERNEL;
	case OP_MEMCPY:
		return record->detail->set & SIM_SET_PEER ? KIND_MEMCPY2 : KIND_MEMCPY;
	case OP_MEMSET:
		return KIND_MEMSET;
	default:
		return 0;
	}
}

static void describe_kernel(const struct sim_detail *detail, struct activity *activity)
{
	activity->name = detail->name ? detail->name : "";
	activity->shared_bytes = detail->shared_bytes;
	memcpy(activity->grid, detail->grid, sizeof(activity->grid));
	memcpy(activity->block, detail->block, sizeof(activity->block));
}

/* A copy or a set. */
static void describe_transfer(const struct log_record *record, struct activity *activity)
{
	/* h2h, h2d, d2h, d2d; with an array as source, as target, as both */
	static const uint8_t copy_kinds[4][4] = {
		{9, 1, 2, 8}, {9, 1, 4, 6}, {9, 3, 2, 7}, {9, 3, 4, 5}};
	const struct sim_detail *detail = record->detail;
	activity->asynchronous = strstr(record->api_function, "Async") != NULL;
	activity->type = copy_kinds[detail->arrays & 3][detail->kind & 3];
	activity->value = detail->value;
	activity->bytes = detail->bytes;
	activity->source_device = detail->source_device;
	activity->target_device = detail->target_device;
	activity->source = detail->arrays & 1 ? MEMORY_ARRAY : source_memory_number(detail->source);
	activity->target = detail->arrays & 2 ? MEMORY_ARRAY : source_memory_number(detail->target);
}

/* What an activity that is zero otherwise says of the operation. */
static void describe(
	const struct log_record *record, enum cupti_kind kind, struct activity *activity)
{
	const struct sim_detail *detail = record->detail;
	activity->device = detail->device;
	activity->context = record->context;
	activity->stream = detail->stream;
	activity->begin_ns = record->begin_ns;
	activity->end_ns = record->end_ns;
	if (detail->set & SIM_SET_GRAPH)
		activity->graph = (uint32_t)detail->graph;
	if (record->node)
		activity->node = (uint64_t)activity->graph << 32 | record->node;
	if (kind == KIND_KERNEL || kind == KIND_CONCURRENT_KERNEL)
		describe_kernel(detail, activity);
	else
		describe_transfer(record, activity);
}

/* Adds the operation to its graph's one record. */
static void gather(const struct log_record *record, enum cupti_kind kind)
{
	if (graph.launch != record->parent) {
		graph.launch = record->parent;
		graph.activity = (struct activity){.correlation = (uint32_t)record->api_call};
		describe(record, kind, &graph.activity);
		graph.activity.kind = KIND_GRAPH_TRACE;
	}
	if (record->begin_ns < graph.activity.begin_ns)
		graph.activity.begin_ns = record->begin_ns;
	if (record->end_ns > graph.activity.end_ns)
		graph.activity.end_ns = record->end_ns;
}

void operation_end_graph(const struct log_record *call)
{
	if (graph.launch != call->id)
		return;
	graph.launch = 0;
	source_put(&graph.activity);
}

CUPTI_HOT void operation_follow(const struct log_record *record)
{
	announce_context(record->context, record->detail->device);
	enum cupti_kind kind = kind_of(record);
	uint64_t grid =
		record->op == OP_KERNEL ? __atomic_add_fetch(&last_grid, 1, __ATOMIC_RELAXED) : 0;
	if (kind && record->node && source_wants(KIND_GRAPH_TRACE, record->context)) {
		gather(record, kind);
		return;
	}
	if (!kind || !source_wants(kind, record->context))
		return;
	struct activity *activity = source_open(kind, record->api_call);
	if (!activity)
		return;
	describe(record, kind, activity);
	activity->id = grid;
	deliver_close();
}
