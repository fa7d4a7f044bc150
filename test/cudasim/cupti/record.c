/* SPDX-License-Identifier: MIT */
/* Writes records field by field, at the offsets that all releases share. */
#include <string.h>

#include "../core/sim.h"
#include "layout.h"
#include "timeline.h"

#define RECORD_BYTES   256 /* more than any */
#define INVALID_STREAM UINT32_MAX
#define COPY_KIND_PEER 10

static void put16(uint8_t *record, size_t offset, uint16_t value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void put32(uint8_t *record, size_t offset, uint32_t value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void put64(uint8_t *record, size_t offset, uint64_t value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void put_times(uint8_t *record, size_t offset, const struct activity *activity)
{
	if (activity->incomplete)
		return; /* both stay 0 */
	put64(record, offset, timeline_convert(activity->begin_ns));
	put64(record, offset + 8, timeline_convert(activity->end_ns));
}

static void write_kernel(const struct activity *activity, uint8_t *record)
{
	put16(record, 6, 32); /* registers of a thread: a plausible number */
	put_times(record, 16, activity);
	memcpy(record + 32, record + 24, 8); /* completed: children there are none */
	put32(record, 40, activity->device);
	put32(record, 44, activity->context);
	put32(record, 48, activity->stream);
	memcpy(record + 52, activity->grid, sizeof(activity->grid));
	memcpy(record + 64, activity->block, sizeof(activity->block));
	put32(record, 80, activity->shared_bytes);
	put32(record, 92, activity->correlation);
	put64(record, 96, activity->id);
	put64(record, 104, (uint64_t)(uintptr_t)activity->name);
	put64(record, 144, activity->node);
	put32(record, 156, activity->graph);
}

static void write_memcpy(const struct activity *activity, uint8_t *record)
{
	record[4] = (uint8_t)activity->type;
	record[5] = activity->source;
	record[6] = activity->target;
	record[7] = activity->asynchronous;
	put64(record, 8, activity->bytes);
	put_times(record, 16, activity);
	put32(record, 32, activity->device);
	put32(record, 36, activity->context);
	put32(record, 40, activity->stream);
	put32(record, 44, activity->correlation);
	put64(record, 64, activity->node);
	put32(record, 72, activity->graph);
}

static void write_memset(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->value);
	put64(record, 8, activity->bytes);
	put_times(record, 16, activity);
	put32(record, 32, activity->device);
	put32(record, 36, activity->context);
	put32(record, 40, activity->stream);
	put32(record, 44, activity->correlation);
	put16(record, 48, activity->asynchronous);
	put16(record, 50, activity->target);
	put64(record, 64, activity->node);
	put32(record, 72, activity->graph);
}

static void write_synchronization(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put_times(record, 8, activity);
	put32(record, 24, activity->correlation);
	put32(record, 28, activity->context);
	put32(record, 32, activity->stream);
	put32(record, 36, (uint32_t)activity->id);
}

static void write_api(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put_times(record, 8, activity);
	put32(record, 24, activity->process);
	put32(record, 28, activity->thread);
	put32(record, 32, activity->correlation);
	put32(record, 36, activity->result);
}

static void write_overhead(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put32(record, 8, 2); /* the object is a thread */
	put32(record, 12, activity->process);
	put32(record, 16, activity->thread);
	put_times(record, 24, activity);
}

static void write_external(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put64(record, 8, activity->id);
	put32(record, 16, activity->correlation);
}

static void write_peer_copy(const struct activity *activity, uint8_t *record)
{
	record[4] = COPY_KIND_PEER;
	record[5] = activity->source;
	record[6] = activity->target;
	record[7] = activity->asynchronous;
	put64(record, 8, activity->bytes);
	put_times(record, 16, activity);
	put32(record, 32, activity->device);
	put32(record, 36, activity->context);
	put32(record, 40, activity->stream);
	put32(record, 44, activity->source_device);
	put32(record, 52, activity->target_device);
	put32(record, 60, activity->correlation);
	put64(record, 72, activity->node);
	put32(record, 80, activity->graph);
}

static void write_memory(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put32(record, 8, activity->target);
	put32(record, 12, activity->correlation);
	put64(record, 16, activity->address);
	put64(record, 24, activity->bytes);
	put64(record, 32, timeline_convert(activity->end_ns));
	put32(record, 48, activity->process);
	put32(record, 52, activity->device);
	put32(record, 56, activity->context);
	put32(record, 60, activity->asynchronous ? activity->stream : INVALID_STREAM);
	put32(record, 72, activity->asynchronous);
	put32(record, 80, activity->asynchronous); /* from a pool of this process */
}

static void write_event(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->correlation);
	put32(record, 8, activity->context);
	put32(record, 12, activity->stream);
	put32(record, 16, (uint32_t)activity->id);
	put32(record, 24, activity->device);
	if (activity->end_ns && !activity->incomplete)
		put64(record, 40, timeline_convert(activity->end_ns));
}

static void write_graph(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->correlation);
	put_times(record, 8, activity);
	put32(record, 24, activity->device);
	put32(record, 28, activity->graph);
	put32(record, 32, activity->context);
	put32(record, 36, activity->stream);
	put32(record, 48, activity->device); /* where it ended */
	put32(record, 52, activity->context);
}

static void write_context(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->context);
	put32(record, 8, activity->device);
	put16(record, 12, 1); /* CUDA */
	put16(record, 14, (uint16_t)activity->stream);
	put64(record, 32, activity->process);
}

static void write_stream(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->context);
	put32(record, 8, activity->stream);
	put32(record, 12, activity->value);
	put32(record, 16, activity->type);
	put32(record, 20, activity->correlation);
}

static void write_device(const struct activity *activity, uint8_t *record)
{
	const struct sim_device *facts = activity->facts;
	put32(record, 4, 1); /* kernels run concurrently */
	put64(record, 8, facts->bandwidth_kb_s);
	put64(record, 16, facts->memory_bytes);
	put32(record, 24, facts->constant_bytes);
	put32(record, 28, facts->l2_bytes);
	put32(record, 32, facts->warp_threads);
	put32(record, 36, facts->clock_khz);
	put32(record, 40, facts->copy_engines);
	put32(record, 44, facts->multiprocessors);
	put32(record, 52, facts->multiprocessor_threads / facts->warp_threads);
	put32(record, 60, facts->multiprocessor_shared_bytes);
	put32(record, 64, facts->multiprocessor_registers);
	put32(record, 68, facts->block_registers);
	put32(record, 72, facts->block_shared_bytes);
	put32(record, 76, facts->block_threads);
	memcpy(record + 80, facts->block, sizeof(facts->block));
	memcpy(record + 92, facts->grid, sizeof(facts->grid));
	put32(record, 104, facts->major);
	put32(record, 108, facts->minor);
	put32(record, 112, activity->device);
	memcpy(record + 120, facts->uuid, sizeof(facts->uuid));
	put64(record, 136, (uint64_t)(uintptr_t)facts->name);
	record[144] = 1; /* visible to CUDA */
}

/* clang-format off */
static void (*const writers[KIND_LIMIT])(const struct activity *activity, uint8_t *record) = {
	[KIND_KERNEL] = write_kernel,
	[KIND_CONCURRENT_KERNEL] = write_kernel,
	[KIND_MEMCPY] = write_memcpy,
	[KIND_MEMCPY2] = write_peer_copy,
	[KIND_MEMSET] = write_memset,
	[KIND_SYNCHRONIZATION] = write_synchronization,
	[KIND_RUNTIME] = write_api,
	[KIND_DRIVER] = write_api,
	[KIND_OVERHEAD] = write_overhead,
	[KIND_EXTERNAL_CORRELATION] = write_external,
	[KIND_MEMORY2] = write_memory,
	[KIND_CUDA_EVENT] = write_event,
	[KIND_GRAPH_TRACE] = write_graph,
	[KIND_CONTEXT] = write_context,
	[KIND_STREAM] = write_stream,
	[KIND_DEVICE] = write_device,
};
/* clang-format on */

void layout_write(const struct activity *activity, uint8_t *record)
{
	uint8_t whole[RECORD_BYTES] = {0};
	put32(whole, 0, activity->kind);
	if (writers[activity->kind])
		writers[activity->kind](activity, whole);
	memcpy(record, whole, layout_size(activity->kind));
}
