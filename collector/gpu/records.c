/* SPDX-License-Identifier: MIT */
#include "collector/gpu/records.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/hash.h"
#include "collector/buffer/define.h"
#include "collector/format/fields.h"
#include "collector/gpu/raw.h"

#define LATE_NS    1000000000ull
#define CALL_LIMIT 1024u

/* clang-format off */
static const bool wanted_calls[2][CALL_LIMIT] = {
#define RUNTIME 0
#define DRIVER 1
#define GPU_CALL(domain, number, name) [domain][number] = true,
#include "collector/gpu/calls.def"
#undef RUNTIME
#undef DRIVER
};
/* clang-format on */

static const char *text_of(uint64_t pointer)
{
	return (const char *)(uintptr_t)pointer;
}

static bool is_text(const char *text, const struct gpu_name *name)
{
	return strncmp(text, name->known, name->length) == 0 &&
	       (name->length == DEFINE_TEXT_LIMIT || text[name->length] == '\0');
}

static uint32_t name_of(struct gpu_reader *reader, uint64_t pointer)
{
	const char *text = text_of(pointer);
	if (text == NULL) {
		reader->counters[GPU_COUNTER_NO_NAME]++;
		return 0;
	}
	struct gpu_name *name = &reader->names[hash_bits(pointer, GPU_NAME_BITS)];
	if (name->text == text && (name->buffer == reader->buffer || is_text(text, name))) {
		name->buffer = reader->buffer;
		return name->id;
	}
	name->buffer = reader->buffer;
	name->id = define_name(text, strnlen(text, DEFINE_TEXT_LIMIT));
	name->known = define_name_text(name->id, &name->length);
	name->text = name->known != NULL ? text : NULL;
	return name->id;
}

static uint64_t memory_kind(uint64_t kind)
{
	/*
	 * unknown, pageable, pinned, device, array, managed, static of the device, managed static
	 */
	static const uint8_t kinds[] = {MEMORY_UNKNOWN, MEMORY_PAGEABLE, MEMORY_PINNED,
		MEMORY_DEVICE, MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_DEVICE, MEMORY_MANAGED};
	return kind < sizeof(kinds) ? kinds[kind] : (uint64_t)MEMORY_UNKNOWN;
}

static uint64_t direction(uint64_t kind)
{
	/* unknown, HtoD, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP */
	static const uint8_t directions[] = {COPY_DEFAULT, COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST,
		COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE,
		COPY_DEVICE_TO_DEVICE, COPY_DEVICE_TO_DEVICE, COPY_DEVICE_TO_DEVICE,
		COPY_HOST_TO_HOST, COPY_PEER};
	return kind < sizeof(directions) ? directions[kind] : (uint64_t)COPY_DEFAULT;
}

/* Cut off, or of a kind that is not known. */
static __attribute__((noinline)) enum gpu_lane unknown(struct gpu_reader *reader)
{
	reader->counters[GPU_COUNTER_UNKNOWN]++;
	return GPU_LANE_NONE;
}

/* Times that were lost are those of the record before; never a time of 0. */
static bool set_times(struct gpu_reader *reader, struct record *record, uint64_t begin_ns,
	uint64_t end_ns, uint64_t otherwise_ns)
{
	bool are_there = begin_ns != 0 && end_ns != 0;
	record->begin = are_there ? begin_ns : otherwise_ns;
	record->end = are_there ? end_ns : otherwise_ns;
	if (!are_there) {
		record_set_device_flags(record, DEVICE_NO_TIMES);
		reader->counters[GPU_COUNTER_NO_TIMES]++;
	}
	return are_there;
}

/* Of a device record, checked against the one before it on its stream. */
static INLINE void set_device_times(struct gpu_reader *reader, struct record *record,
	uint64_t device, uint64_t begin_ns, uint64_t end_ns, uint64_t now_ns)
{
	uint64_t key = 1 + (device << 32 | record_device_stream(record));
	struct gpu_stream *stream = &reader->streams[hash_bits(key, GPU_STREAM_BITS)];
	if (stream->key != key)
		*stream = (struct gpu_stream){.key = key, .end_ns = reader->last_end_ns};
	if (!set_times(reader, record, begin_ns, end_ns,
		    stream->end_ns != 0 ? stream->end_ns : now_ns))
		return;
	if (__builtin_expect(begin_ns < stream->begin_ns, 0))
		reader->counters[GPU_COUNTER_OUT_OF_ORDER]++;
	if (__builtin_expect(end_ns + LATE_NS < now_ns, 0))
		reader->counters[GPU_COUNTER_LATE]++;
	stream->begin_ns = begin_ns;
	stream->end_ns = end_ns;
	reader->last_end_ns = end_ns;
}

/* Of what happens on the host's side. */
static void set_call_times(struct gpu_reader *reader, struct record *record, uint64_t begin_ns,
	uint64_t end_ns, uint64_t now_ns)
{
	uint64_t last_ns = reader->last_call_ns != 0 ? reader->last_call_ns : now_ns;
	if (set_times(reader, record, begin_ns, end_ns, last_ns))
		reader->last_call_ns = end_ns;
}

static void learn_context(struct gpu_reader *reader, uint64_t context, uint64_t device)
{
	struct gpu_context *known = &reader->contexts[context % GPU_CONTEXT_LIMIT];
	known->context = (uint32_t)context;
	known->device = (uint32_t)device;
}

/* What all operations of the device have; of graphNodeId the lower half, the node's number. */
#define SET_OPERATION(record, raw_)                                                                \
	do {                                                                                       \
		record_set_correlation(record, (raw_).correlationId);                              \
		record_set_device_stream(record, (raw_).streamId);                                 \
		record_set_device(record, (raw_).deviceId);                                        \
		record_set_device_graph(record, (raw_).graphId);                                   \
		record_set_graph_node(record, (raw_).graphNodeId);                                 \
	} while (0)

static __attribute__((noinline)) enum gpu_lane read_kernel(struct gpu_reader *reader,
	const uint8_t *raw, size_t room, uint64_t now_ns, struct record *record)
{
	struct cupti_KERNEL kernel;
	if (!read_KERNEL(reader->version, raw, room, &kernel))
		return unknown(reader);
	*record =
		(struct record){.kind = RECORD_DEVICE_KERNEL, .name = name_of(reader, kernel.name)};
	record_set_DEVICE_KERNEL_registers(record, kernel.registersPerThread);
	record_set_grid_x(record, kernel.gridX);
	record_set_grid_y(record, kernel.gridY);
	record_set_grid_z(record, kernel.gridZ);
	record_set_block_x(record, kernel.blockX);
	record_set_block_y(record, kernel.blockY);
	record_set_block_z(record, kernel.blockZ);
	record_set_shared_bytes(record, kernel.staticSharedMemory + kernel.dynamicSharedMemory);
	SET_OPERATION(record, kernel);
	set_device_times(reader, record, kernel.deviceId, kernel.start, kernel.end, now_ns);
	learn_context(reader, kernel.contextId, kernel.deviceId);
	return GPU_LANE_DEVICE;
}

static __attribute__((noinline)) enum gpu_lane read_copy(struct gpu_reader *reader,
	const uint8_t *raw, size_t room, uint64_t now_ns, struct record *record)
{
	struct cupti_MEMCPY copy;
	if (!read_MEMCPY(reader->version, raw, room, &copy))
		return unknown(reader);
	*record = (struct record){.kind = RECORD_DEVICE_COPY};
	record_set_bytes(record, copy.bytes);
	record_set_direction(record, direction(copy.copyKind));
	record_set_src_memory(record, memory_kind(copy.srcKind));
	record_set_dst_memory(record, memory_kind(copy.dstKind));
	SET_OPERATION(record, copy);
	set_device_times(reader, record, copy.deviceId, copy.start, copy.end, now_ns);
	return GPU_LANE_DEVICE;
}

/* device is the one that copies; peer the other end. */
static __attribute__((noinline)) enum gpu_lane read_peer_copy(struct gpu_reader *reader,
	const uint8_t *raw, size_t room, uint64_t now_ns, struct record *record)
{
	struct cupti_MEMCPY2 copy;
	if (!read_MEMCPY2(reader->version, raw, room, &copy))
		return unknown(reader);
	*record = (struct record){.kind = RECORD_DEVICE_COPY};
	record_set_bytes(record, copy.bytes);
	record_set_direction(record, COPY_PEER);
	record_set_src_memory(record, memory_kind(copy.srcKind));
	record_set_dst_memory(record, memory_kind(copy.dstKind));
	record_set_DEVICE_COPY_peer(
		record, copy.deviceId == copy.dstDeviceId ? copy.srcDeviceId : copy.dstDeviceId);
	SET_OPERATION(record, copy);
	set_device_times(reader, record, copy.deviceId, copy.start, copy.end, now_ns);
	return GPU_LANE_DEVICE;
}

static __attribute__((noinline)) enum gpu_lane read_set(struct gpu_reader *reader,
	const uint8_t *raw, size_t room, uint64_t now_ns, struct record *record)
{
	struct cupti_MEMSET set;
	if (!read_MEMSET(reader->version, raw, room, &set))
		return unknown(reader);
	*record = (struct record){.kind = RECORD_DEVICE_SET};
	record_set_bytes(record, set.bytes);
	record_set_filled_memory(record, memory_kind(set.memoryKind));
	record_set_DEVICE_SET_value(record, set.value);
	SET_OPERATION(record, set);
	set_device_times(reader, record, set.deviceId, set.start, set.end, now_ns);
	return GPU_LANE_DEVICE;
}

/* What does not concern a stream or an event says so with all bits. */
static uint64_t or_none(uint64_t id)
{
	return id == UINT32_MAX ? 0 : id;
}

/* A context's device is known from its kernels; before the first it reads as 0. */
static __attribute__((noinline)) enum gpu_lane read_sync(struct gpu_reader *reader,
	const uint8_t *raw, size_t room, uint64_t now_ns, struct record *record)
{
	/* event, a stream waits for an event, stream, context */
	static const uint8_t scopes[] = {0, SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_STREAM, SYNC_DEVICE};
	struct cupti_SYNCHRONIZATION sync;
	if (!read_SYNCHRONIZATION(reader->version, raw, room, &sync))
		return unknown(reader);
	unsigned slot = (unsigned)sync.contextId % GPU_CONTEXT_LIMIT;
	*record = (struct record){.kind = RECORD_DEVICE_SYNC};
	record_set_correlation(record, sync.correlationId);
	record_set_DEVICE_SYNC_stream(record, or_none(sync.streamId));
	record_set_event(record, or_none(sync.cudaEventId));
	record_set_scope(record, sync.type < sizeof(scopes) ? scopes[sync.type] : 0);
	if (reader->contexts[slot].context == sync.contextId)
		record_set_device(record, reader->contexts[slot].device);
	set_call_times(reader, record, sync.start, sync.end, now_ns);
	return GPU_LANE_CALLS;
}

static __attribute__((noinline)) enum gpu_lane read_call(struct gpu_reader *reader,
	const uint8_t *raw, size_t room, uint64_t now_ns, struct record *record, bool is_driver)
{
	struct cupti_API call;
	if (!read_API(reader->version, raw, room, &call))
		return unknown(reader);
	if (call.cbid >= CALL_LIMIT || !wanted_calls[is_driver][call.cbid]) {
		reader->counters[GPU_COUNTER_UNWANTED]++;
		return GPU_LANE_NONE;
	}
	*record = (struct record){.kind = RECORD_DEVICE_API};
	record_set_correlation(record, call.correlationId);
	record_set_DEVICE_API_thread(record, call.threadId);
	record_set_DEVICE_API_function(record, call.cbid);
	record_set_DEVICE_API_domain(record, is_driver ? DEVICE_API_DRIVER : DEVICE_API_RUNTIME);
	set_call_times(reader, record, call.start, call.end, now_ns);
	return GPU_LANE_CALLS;
}

bool gpu_records_call(const uint8_t *raw, size_t room, struct record *ret_record)
{
	struct cupti_API call;
	uint64_t kind = room >= sizeof(uint32_t) ? load(raw, sizeof(uint32_t)) : 0;
	if ((kind != KIND_API && kind != KIND_DRIVER) || !read_API(LATEST_FIELD, raw, room, &call))
		return false;
	*ret_record =
		(struct record){.kind = RECORD_DEVICE_API, .begin = call.start, .end = call.end};
	record_set_correlation(ret_record, call.correlationId);
	return true;
}

static __attribute__((noinline)) enum gpu_lane read_overhead(
	struct gpu_reader *reader, const uint8_t *raw, size_t room, struct record *record)
{
	struct cupti_OVERHEAD overhead;
	if (!read_OVERHEAD(reader->version, raw, room, &overhead))
		return unknown(reader);
	/* Details of some kinds, which the library leaves to us. */
	free((void *)(uintptr_t)overhead.overheadData);
	*record = (struct record){
		.kind = RECORD_OVERHEAD, .begin = overhead.start, .end = overhead.end};
	record_set_OVERHEAD_cause(record, overhead.overheadKind);
	return GPU_LANE_CALLS;
}

static __attribute__((noinline)) enum gpu_lane read_memory(
	struct gpu_reader *reader, const uint8_t *raw, size_t room, struct record *record)
{
	struct cupti_MEMORY2 memory;
	if (!read_MEMORY2(reader->version, raw, room, &memory))
		return unknown(reader);
	*record = (struct record){
		.kind = RECORD_DEVICE_MEMORY, .begin = memory.timestamp, .end = memory.timestamp};
	record_set_correlation(record, memory.correlationId);
	record_set_device_stream(record, or_none(memory.streamId));
	record_set_bytes(record, memory.bytes);
	record_set_DEVICE_MEMORY_address(record, memory.address);
	record_set_DEVICE_MEMORY_operation(record, memory.memoryOperationType);
	record_set_DEVICE_MEMORY_memory(record, memory_kind(memory.memoryKind));
	record_set_DEVICE_MEMORY_device(record, memory.deviceId);
	return GPU_LANE_CALLS;
}

/* Said once, not as an event. Its bandwidth comes in kB/s. */
static __attribute__((noinline)) bool read_device(
	struct gpu_reader *reader, const uint8_t *raw, size_t room)
{
	struct cupti_DEVICE device;
	if (!read_DEVICE(reader->version, raw, room, &device))
		return false;
	for (unsigned i = 0; i < reader->device_count; i++)
		if (reader->devices[i].meta.id == device.id)
			return true;
	if (reader->device_count == GPU_DEVICE_LIMIT)
		return true;
	struct gpu_device *known = &reader->devices[reader->device_count++];
	const char *name = text_of(device.name);
	size_t length = name != NULL ? strnlen(name, sizeof(known->name) - 1) : 0;
	if (length > 0)
		memcpy(known->name, name, length);
	known->name[length] = '\0';
	known->told = false;
	known->meta = (struct meta_DEVICE){.id = device.id,
		.name = known->name,
		.compute_major = device.computeCapabilityMajor,
		.compute_minor = device.computeCapabilityMinor,
		.multiprocessors = device.numMultiprocessors,
		.core_khz = device.coreClockRate,
		.memory_bytes = device.globalMemorySize,
		.memory_bytes_per_s = device.globalMemoryBandwidth * 1000};
	return true;
}

enum gpu_lane gpu_records_read(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *ret_record)
{
	reader->counters[GPU_COUNTER_RECORDS]++;
	switch (room >= sizeof(uint32_t) ? load(raw, sizeof(uint32_t)) : 0) {
	case KIND_KERNEL:
		return read_kernel(reader, raw, room, now_ns, ret_record);
	case KIND_API:
		return read_call(reader, raw, room, now_ns, ret_record, false);
	case KIND_DRIVER:
		return read_call(reader, raw, room, now_ns, ret_record, true);
	case KIND_MEMCPY:
		return read_copy(reader, raw, room, now_ns, ret_record);
	case KIND_MEMCPY2:
		return read_peer_copy(reader, raw, room, now_ns, ret_record);
	case KIND_MEMSET:
		return read_set(reader, raw, room, now_ns, ret_record);
	case KIND_SYNCHRONIZATION:
		return read_sync(reader, raw, room, now_ns, ret_record);
	case KIND_OVERHEAD:
		return read_overhead(reader, raw, room, ret_record);
	case KIND_MEMORY2:
		return read_memory(reader, raw, room, ret_record);
	case KIND_DEVICE:
		return read_device(reader, raw, room) ? GPU_LANE_NONE : unknown(reader);
	default:
		return unknown(reader);
	}
}
