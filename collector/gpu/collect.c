/* SPDX-License-Identifier: MIT */
#include "collector/gpu/collect.h"

#include <string.h>

#include "collector/base/clock.h"
#include "collector/buffer/define.h"
#include "collector/buffer/pause.h"
#include "collector/codec/codec.h"
#include "collector/gpu/buffers.h"
#include "collector/gpu/library.h"
#include "collector/gpu/pause.h"
#include "collector/gpu/state.h"

static const char *const lane_names[GPU_LANE_COUNT] = {
	[GPU_LANE_DEVICE] = "device",
	[GPU_LANE_CALLS] = "device calls",
};

/* So many matched records are worth a block. */
#define MATCHED_LEAST 8u

static uint64_t dropped; /* by the library, not yet told */

/* The next record of a buffer, asked for twice: an error may pass. */
static inline int next_record(uint8_t *data, size_t valid, uint8_t **record)
{
	int code = GPU_ASK(cuptiActivityGetNextRecord, data, valid, record);
	if (code != GPU_OK && code != GPU_END_OF_BUFFER)
		code = GPU_ASK(cuptiActivityGetNextRecord, data, valid, record);
	return code;
}

uint64_t gpu_collect_count(uint8_t *data, size_t valid)
{
	uint64_t count = 0;
	uint8_t *record = NULL;
	while (next_record(data, valid, &record) == GPU_OK)
		count++;
	return count;
}

static struct ring_gap *device_gaps(struct gpu_collect *collect, struct writer *writer)
{
	return lane_gaps(&collect->lanes[GPU_LANE_DEVICE].lane, writer);
}

/*
 * How many records from the first one on go into one block: matched ones of one thread, or others.
 * Few matched ones are written as they are, which is less than a block of their own.
 */
static unsigned count_alike(struct record *records, unsigned count)
{
	unsigned alike = 0;
	while (alike < count) {
		uint32_t thread =
			records[alike].kind == RECORD_DEVICE_API ? records[alike].name : 0;
		unsigned run = 1;
		while (alike + run < count && records[alike + run].kind == RECORD_DEVICE_API &&
			records[alike + run].name == thread && thread != 0)
			run++;
		if (run >= MATCHED_LEAST)
			return alike > 0 ? alike : run;
		for (unsigned i = 0; i < run && thread != 0; i++)
			codec_match(&records[alike + i], 0, 0);
		alike += run;
	}
	return alike;
}

static __attribute__((noinline)) void write_lane(
	struct gpu_collect *collect, struct writer *writer, unsigned lane, uint64_t now_ns)
{
	struct gpu_collect_lane *self = &collect->lanes[lane];
	for (unsigned at = 0, count; at < self->count; at += count) {
		struct record *records = &self->records[at];
		count = self->count - at;
		if (lane == GPU_LANE_CALLS)
			count = count_alike(records, count);
		lane_write(&self->lane, writer, lane_names[lane], 0, records, count, now_ns);
	}
	self->count = 0;
}

/* A reader knows operations by their calls, and takes the file as it comes: calls are first. */
static void write_lanes(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns)
{
	for (unsigned lane = GPU_LANE_COUNT; lane-- > 0;)
		write_lane(collect, writer, lane, now_ns);
}

/* What is put there counts when it is kept. */
static inline struct record *next_free(struct gpu_collect *collect, unsigned lane)
{
	return &collect->lanes[lane].records[collect->lanes[lane].count];
}

/*
 * What was put there counts; a call is in place of the driver call that it made. The lane has room
 * for one more after that.
 */
static inline void keep(struct gpu_collect *collect, struct writer *writer, unsigned lane,
	struct record *record, uint64_t now_ns)
{
	struct gpu_collect_lane *self = &collect->lanes[lane];
	if (lane == GPU_LANE_CALLS && self->count > 0 && gpu_records_same_call(record - 1, record))
		record[-1] = record[0];
	else if (++self->count == GPU_BLOCK_LIMIT)
		write_lanes(collect, writer, now_ns);
}

/* The call that a record of the interface is about, where the file has it. */
static inline void match(struct writer *writer, struct record *record)
{
	uint32_t thread;
	if (record->kind != RECORD_DEVICE_API || record_device_flags(record) != 0)
		return;
	const struct recent_call *call = recent_at(writer->recent, record_DEVICE_API_thread(record),
		record->begin, record->end, &thread);
	if (call != NULL)
		codec_match(record, thread, call->number);
}

/* Calls may come behind what they asked for. */
static void learn_calls(const struct gpu_buffer *buffer)
{
	uint8_t *raw = NULL, *end = buffer->data + buffer->valid;
	struct record call;
	while (buffer->valid > 0 && next_record(buffer->data, buffer->valid, &raw) == GPU_OK)
		if (gpu_records_call(raw, (size_t)(end - raw), &call))
			(void)gpu_pause_wants(&call);
}

static void read_buffer(struct gpu_collect *collect, struct writer *writer,
	const struct gpu_buffer *buffer, uint64_t now_ns)
{
	struct gpu_reader *reader = &collect->reader;
	uint8_t *raw = NULL, *end = buffer->data + buffer->valid;
	uint64_t monotonic_ns = clock_monotonic_ns();
	int code = GPU_END_OF_BUFFER;
	gpu_records_begin(reader);
	reader->counters[GPU_COUNTER_BUFFERS]++;
	reader->counters[GPU_COUNTER_EMPTY] += buffer->valid == 0;
	while (buffer->valid > 0 &&
		(code = next_record(buffer->data, buffer->valid, &raw)) == GPU_OK) {
		enum gpu_lane lane = gpu_records_lane(raw);
		struct record *record = next_free(collect, lane);
		if (gpu_records_read(reader, raw, (size_t)(end - raw), monotonic_ns, record) ==
			GPU_LANE_NONE)
			continue;
		if (lane == GPU_LANE_CALLS)
			match(writer, record);
		if (gpu_pause_wants(record))
			keep(collect, writer, lane, record, now_ns);
		else
			reader->counters[GPU_COUNTER_PAUSED]++;
	}
	if (code == GPU_END_OF_BUFFER)
		return;
	/* How many records there were cannot be known: at least one. */
	reader->counters[GPU_COUNTER_UNREAD_BYTES] +=
		(uint64_t)(end - (raw != NULL ? raw : buffer->data));
	ring_gap_add(
		&device_gaps(collect, writer)[LOSS_DEVICE_RECORDS], 1, monotonic_ns, monotonic_ns);
	gpu_state_failed("cuptiActivityGetNextRecord", code);
}

static void take_discarded(struct gpu_collect *collect, struct writer *writer)
{
	struct ring_gap gap;
	gpu_buffers_take_discarded(&gap);
	collect->reader.counters[GPU_COUNTER_DISCARDED] += gap.count;
	ring_gap_add(&device_gaps(collect, writer)[LOSS_DEVICE_RECORDS], gap.count, gap.first_ns,
		gap.last_ns);
}

/* The library counts from anew each time. */
void gpu_collect_ask_dropped(void)
{
	size_t count = 0;
	if (!gpu_state_is_usable() || gpu_library.cuptiActivityGetNumDroppedRecords == NULL)
		return;
	int code = GPU_ASK(cuptiActivityGetNumDroppedRecords, NULL, 0, &count);
	if (code == GPU_OK)
		__atomic_fetch_add(&dropped, count, __ATOMIC_RELAXED);
	else
		gpu_state_failed("cuptiActivityGetNumDroppedRecords", code);
}

static void take_dropped(struct gpu_collect *collect, struct writer *writer)
{
	gpu_collect_ask_dropped();
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t count = __atomic_exchange_n(&dropped, 0, __ATOMIC_RELAXED);
	collect->reader.counters[GPU_COUNTER_DROPPED] += count;
	ring_gap_add(&device_gaps(collect, writer)[LOSS_DEVICE_RECORDS], count,
		collect->dropped_ns != 0 ? collect->dropped_ns : now_ns, now_ns);
	collect->dropped_ns = now_ns;
}

static bool take_states(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns)
{
	enum source_state state;
	uint64_t ns;
	bool changed = false;
	for (; gpu_pause_next_state(&state, &ns); changed = true) {
		struct record *record = next_free(collect, GPU_LANE_CALLS);
		*record = (struct record){.begin = ns, .end = ns, .kind = RECORD_SOURCE_STATE};
		record_set_SOURCE_STATE_source(record, define_name("activity", strlen("activity")));
		record_set_SOURCE_STATE_state(record, state);
		/* what was asked for before is told apart by the times of its calls */
		recent_since(writer->recent, ns);
		writer->notes_calls = true;
		keep(collect, writer, GPU_LANE_CALLS, record, now_ns);
	}
	return changed;
}

uint64_t gpu_collect_run(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns)
{
	uint64_t before = collect->reader.counters[GPU_COUNTER_RECORDS];
	if (__builtin_expect(pause_is_expected(), 0))
		gpu_pause_expect(true);
	/* After the buffers, so that no record is older than a change that is not known yet. */
	struct gpu_buffer *buffer = gpu_buffers_take();
	take_discarded(collect, writer);
	bool changed = take_states(collect, writer, now_ns);
	if (buffer == NULL && !changed)
		return 0;
	collect->reader.version = gpu_library.version;
	for (const struct gpu_buffer *each = buffer; gpu_pause_is_expected && each != NULL;
		each = each->next)
		learn_calls(each);
	while (buffer != NULL) {
		struct gpu_buffer *next = buffer->next;
		read_buffer(collect, writer, buffer, now_ns);
		gpu_buffers_return(buffer);
		buffer = next;
	}
	write_lanes(collect, writer, now_ns);
	if (before == collect->reader.counters[GPU_COUNTER_RECORDS])
		return 1;
	take_dropped(collect, writer);
	return collect->reader.counters[GPU_COUNTER_RECORDS] - before;
}

void gpu_collect_say(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns)
{
	static const char *const names[GPU_COUNTER_COUNT] = {
#define GPU_COUNTER(NAME, name) [GPU_COUNTER_##NAME] = (name),
#include "collector/gpu/counters.def"
	};
	struct gpu_reader *reader = &collect->reader;
	for (unsigned i = 0; i < GPU_COUNTER_COUNT; i++) {
		struct meta meta = {.kind = META_COUNT,
			.u.count = {.name = names[i], .value = reader->counters[i]}};
		if (reader->counters[i] != collect->told[i] &&
			writer_meta(writer, &meta, now_ns) == 0)
			collect->told[i] = reader->counters[i];
	}
	for (unsigned i = 0; i < reader->device_count; i++) {
		struct meta meta = {.kind = META_DEVICE, .u.device = reader->devices[i].meta};
		if (!reader->devices[i].told)
			reader->devices[i].told = writer_meta(writer, &meta, now_ns) == 0;
	}
}

void gpu_collect_second(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns)
{
	take_dropped(collect, writer);
	gpu_collect_say(collect, writer, now_ns);
	gpu_buffers_settle();
}

void gpu_collect_say_again(struct gpu_collect *collect)
{
	memset(collect->told, 0, sizeof(collect->told));
	for (unsigned i = 0; i < collect->reader.device_count; i++)
		collect->reader.devices[i].told = false;
}

void gpu_collect_begin(struct gpu_collect *collect, bool may_pause)
{
	gpu_pause_expect(may_pause);
	gpu_collect_say_again(collect);
}

void gpu_collect_forget(struct gpu_collect *collect)
{
	memset(collect, 0, sizeof(*collect));
	gpu_pause_forget();
}
