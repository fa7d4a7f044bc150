/* SPDX-License-Identifier: MIT */
#include "collector/gpu/records.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/hash.h"
#include "collector/buffer/define.h"

#define INLINE inline __attribute__((always_inline))

#define LATE_NS     1000000000ull
#define CALL_LIMIT  1024u
#define KIND_DRIVER 4u /* same layout as the runtime's */

/* Kinds by name. */
enum {
#define CUPTI_RECORD(RECORD, kind, name) KIND_##RECORD = (kind),
#include "collector/gpu/cupti.def"
};

#define BYTES_U8   1u
#define BYTES_U16  2u
#define BYTES_U32  4u
#define BYTES_U64  8u
#define BYTES_TEXT sizeof(char *)

/* From this release on it has every field. */
#define LATEST_FIELD 22u
#define CUPTI_FIELD(RECORD, field, offset, type, since)                                            \
	_Static_assert((since) <= LATEST_FIELD, "the latest field");
#include "collector/gpu/cupti.def"

static INLINE uint64_t load(const uint8_t *from, size_t bytes)
{
	uint64_t value = 0;
	memcpy(&value, from, bytes);
	return value;
}

/*
 * struct cupti_KERNEL { uint64_t start, ... }, sizeof(union span_KERNEL), the bytes that its
 * fields reach to, and a function that fills it and is false when the record is cut off.
 */
/* clang-format off */
#define CUPTI_RECORD(RECORD, kind, name) struct cupti_##RECORD {
#define CUPTI_FIELD(RECORD, field, offset, type, since) uint64_t field;
#define CUPTI_RECORD_END(RECORD) };
#include "collector/gpu/cupti.def"

#define CUPTI_RECORD(RECORD, kind, name) union span_##RECORD {
#define CUPTI_FIELD(RECORD, field, offset, type, since) char field[(offset) + BYTES_##type];
#define CUPTI_RECORD_END(RECORD) };
#include "collector/gpu/cupti.def"

/* A release that has every field, and a record that is not cut off: nothing to ask. */
#define CUPTI_RECORD(RECORD, kind, name)                                                           \
	static INLINE void take_##RECORD(                                                          \
		const uint8_t *raw, struct cupti_##RECORD *ret)                                    \
	{
#define CUPTI_FIELD(RECORD, field, offset, type, since)                                            \
		ret->field = load(raw + (offset), BYTES_##type);
#define CUPTI_RECORD_END(RECORD)                                                                   \
	}
#include "collector/gpu/cupti.def"

#define CUPTI_RECORD(RECORD, kind, name)                                                           \
	static __attribute__((noinline)) bool read_old_##RECORD(uint32_t version,                  \
		const uint8_t *raw, size_t room, struct cupti_##RECORD *ret)                       \
	{
#define CUPTI_FIELD(RECORD, field, offset, type, since)                                            \
		ret->field = 0;                                                                    \
		if (version >= (since)) {                                                          \
			if ((offset) + BYTES_##type > room)                                        \
				return false;                                                      \
			ret->field = load(raw + (offset), BYTES_##type);                           \
		}
#define CUPTI_RECORD_END(RECORD)                                                                   \
		return true;                                                                       \
	}                                                                                          \
	static INLINE bool read_##RECORD(uint32_t version,                                         \
		const uint8_t *raw, size_t room, struct cupti_##RECORD *ret)                       \
	{                                                                                          \
		if (version < LATEST_FIELD || room < sizeof(union span_##RECORD)) {                \
			/* apart, so that the usual one need not be in memory */                   \
			struct cupti_##RECORD old;                                                 \
			bool whole = read_old_##RECORD(version, raw, room, &old);                  \
			if (whole)                                                                 \
				*ret = old;                                                        \
			return whole;                                                              \
		}                                                                                  \
		take_##RECORD(raw, ret);                                                           \
		return true;                                                                       \
	}
#include "collector/gpu/cupti.def"

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

/* Times that were lost are those of the record before; never a time of 0. */
static bool set_times(struct gpu_reader *reader, struct record *record, uint64_t begin_ns,
	uint64_t end_ns, uint64_t otherwise_ns)
{
	bool are_there = begin_ns != 0 && end_ns != 0;
	record->begin = are_there ? begin_ns : otherwise_ns;
	record->end = are_there ? end_ns : otherwise_ns;
	if (!are_there) {
		record->result |= (int32_t)DEVICE_NO_TIMES << 16;
		reader->counters[GPU_COUNTER_NO_TIMES]++;
	}
	return are_there;
}

/* Of a device record, checked against the one before it on its stream. */
static INLINE void set_device_times(struct gpu_reader *reader, struct record *record,
	uint64_t device, uint64_t begin_ns, uint64_t end_ns, uint64_t now_ns)
{
	uint64_t key = 1 + (device << 32 | (uint32_t)record->stream);
	struct gpu_stream *stream = &reader->streams[hash_bits(key, GPU_STREAM_BITS)];
	if (stream->key != key)
		*stream = (struct gpu_stream){.key = key, .end_ns = reader->last_end_ns};
	if (!set_times(reader, record, begin_ns, end_ns,
		    stream->end_ns != 0 ? stream->end_ns : now_ns))
		return;
	reader->counters[GPU_COUNTER_OUT_OF_ORDER] += begin_ns < stream->begin_ns;
	reader->counters[GPU_COUNTER_LATE] += end_ns + LATE_NS < now_ns;
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
	reader->contexts[context % GPU_CONTEXT_LIMIT].context = (uint32_t)context;
	reader->contexts[context % GPU_CONTEXT_LIMIT].device = (uint32_t)device;
}

/* graphId and the lower half of graphNodeId, which numbers the nodes of a graph. */
static void set_graph(struct record *record, uint64_t graph, uint64_t node)
{
	record->stream |= graph << 32;
	record->d = (uint32_t)node;
}

static enum gpu_lane read_kernel(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *record)
{
	struct cupti_KERNEL kernel;
	if (!read_KERNEL(reader->version, raw, room, &kernel))
		return GPU_LANE_NONE;
	*record = (struct record){.kind = RECORD_DEVICE_KERNEL,
		.place = (uint32_t)kernel.correlationId,
		.name = name_of(reader, kernel.name),
		.result = (int32_t)kernel.registersPerThread,
		.stream = kernel.streamId,
		.a = kernel.gridX | (kernel.gridY & 0xffff) << 32 | kernel.gridZ << 48,
		.b = (kernel.blockX & 0xffff) | (kernel.blockY & 0xffff) << 16 |
		     (kernel.blockZ & 0xffff) << 32 | kernel.deviceId << 48,
		.c = (uint32_t)(kernel.staticSharedMemory + kernel.dynamicSharedMemory)};
	set_device_times(reader, record, kernel.deviceId, kernel.start, kernel.end, now_ns);
	set_graph(record, kernel.graphId, kernel.graphNodeId);
	learn_context(reader, kernel.contextId, kernel.deviceId);
	return GPU_LANE_DEVICE;
}

static enum gpu_lane read_copy(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *record)
{
	struct cupti_MEMCPY copy;
	if (!read_MEMCPY(reader->version, raw, room, &copy))
		return GPU_LANE_NONE;
	*record = (struct record){.kind = RECORD_DEVICE_COPY,
		.place = (uint32_t)copy.correlationId,
		.stream = copy.streamId,
		.a = copy.bytes,
		.b = direction(copy.copyKind) | memory_kind(copy.srcKind) << 8 |
		     memory_kind(copy.dstKind) << 16 | copy.deviceId << 48};
	set_device_times(reader, record, copy.deviceId, copy.start, copy.end, now_ns);
	set_graph(record, copy.graphId, copy.graphNodeId);
	return GPU_LANE_DEVICE;
}

/* device is the one that copies; peer the other end. */
static enum gpu_lane read_peer_copy(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *record)
{
	struct cupti_MEMCPY2 copy;
	if (!read_MEMCPY2(reader->version, raw, room, &copy))
		return GPU_LANE_NONE;
	uint64_t peer = copy.deviceId == copy.dstDeviceId ? copy.srcDeviceId : copy.dstDeviceId;
	*record = (struct record){.kind = RECORD_DEVICE_COPY,
		.place = (uint32_t)copy.correlationId,
		.stream = copy.streamId,
		.a = copy.bytes,
		.b = COPY_PEER | memory_kind(copy.srcKind) << 8 | memory_kind(copy.dstKind) << 16 |
		     (peer & 0xffff) << 24 | copy.deviceId << 48};
	set_device_times(reader, record, copy.deviceId, copy.start, copy.end, now_ns);
	set_graph(record, copy.graphId, copy.graphNodeId);
	return GPU_LANE_DEVICE;
}

static enum gpu_lane read_set(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *record)
{
	struct cupti_MEMSET set;
	if (!read_MEMSET(reader->version, raw, room, &set))
		return GPU_LANE_NONE;
	*record = (struct record){.kind = RECORD_DEVICE_SET,
		.place = (uint32_t)set.correlationId,
		.stream = set.streamId,
		.a = set.bytes,
		.b = memory_kind(set.memoryKind) | set.deviceId << 48,
		.c = (uint32_t)set.value};
	set_device_times(reader, record, set.deviceId, set.start, set.end, now_ns);
	set_graph(record, set.graphId, set.graphNodeId);
	return GPU_LANE_DEVICE;
}

/* A context's device is known from its kernels; before the first it reads as 0. */
static enum gpu_lane read_sync(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *record)
{
	/* event, a stream waits for an event, stream, context */
	static const uint8_t scopes[] = {0, SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_STREAM, SYNC_DEVICE};
	struct cupti_SYNCHRONIZATION sync;
	if (!read_SYNCHRONIZATION(reader->version, raw, room, &sync))
		return GPU_LANE_NONE;
	unsigned slot = (unsigned)sync.contextId % GPU_CONTEXT_LIMIT;
	uint64_t device = reader->contexts[slot].context == sync.contextId
				  ? reader->contexts[slot].device
				  : 0;
	/* What does not concern a stream or an event says so with all bits. */
	*record = (struct record){.kind = RECORD_DEVICE_SYNC,
		.place = (uint32_t)sync.correlationId,
		.stream = sync.streamId == UINT32_MAX ? 0 : sync.streamId,
		.a = sync.cudaEventId == UINT32_MAX ? 0 : sync.cudaEventId,
		.b = (sync.type < sizeof(scopes) ? scopes[sync.type] : 0) | device << 48};
	set_call_times(reader, record, sync.start, sync.end, now_ns);
	return GPU_LANE_CALLS;
}

static INLINE enum gpu_lane read_call(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, bool is_driver, struct record *record)
{
	struct cupti_API call;
	if (!read_API(reader->version, raw, room, &call))
		return GPU_LANE_NONE;
	if (call.cbid >= CALL_LIMIT || !wanted_calls[is_driver][call.cbid]) {
		reader->counters[GPU_COUNTER_UNWANTED]++;
		return GPU_LANE_NONE;
	}
	*record = (struct record){.kind = RECORD_DEVICE_API,
		.place = (uint32_t)call.correlationId,
		.a = call.threadId,
		.c = (uint32_t)call.cbid,
		.d = is_driver ? DEVICE_API_DRIVER : DEVICE_API_RUNTIME};
	set_call_times(reader, record, call.start, call.end, now_ns);
	return GPU_LANE_CALLS;
}

bool gpu_records_call(const uint8_t *raw, size_t room, struct record *ret_record)
{
	struct cupti_API call;
	uint64_t kind = room >= sizeof(uint32_t) ? load(raw, sizeof(uint32_t)) : 0;
	if ((kind != KIND_API && kind != KIND_DRIVER) || !read_API(LATEST_FIELD, raw, room, &call))
		return false;
	*ret_record = (struct record){.kind = RECORD_DEVICE_API,
		.place = (uint32_t)call.correlationId,
		.begin = call.start,
		.end = call.end};
	return true;
}

static enum gpu_lane read_overhead(
	struct gpu_reader *reader, const uint8_t *raw, size_t room, struct record *record)
{
	struct cupti_OVERHEAD overhead;
	if (!read_OVERHEAD(reader->version, raw, room, &overhead))
		return GPU_LANE_NONE;
	/* Details of some kinds, which the library leaves to us. */
	free((void *)(uintptr_t)overhead.overheadData);
	*record = (struct record){.kind = RECORD_OVERHEAD,
		.begin = overhead.start,
		.end = overhead.end,
		.c = (uint32_t)overhead.overheadKind};
	return GPU_LANE_CALLS;
}

static enum gpu_lane read_memory(
	struct gpu_reader *reader, const uint8_t *raw, size_t room, struct record *record)
{
	struct cupti_MEMORY2 memory;
	if (!read_MEMORY2(reader->version, raw, room, &memory))
		return GPU_LANE_NONE;
	*record = (struct record){.kind = RECORD_DEVICE_MEMORY,
		.begin = memory.timestamp,
		.end = memory.timestamp,
		.place = (uint32_t)memory.correlationId,
		.stream = memory.streamId == UINT32_MAX ? 0 : memory.streamId,
		.a = memory.bytes,
		.b = memory.address,
		.c = (uint32_t)((memory.memoryOperationType & 0xff) |
				memory_kind(memory.memoryKind) << 8 |
				(memory.deviceId & 0xffff) << 16)};
	return GPU_LANE_CALLS;
}

/* Said once, not as an event. Its bandwidth comes in kB/s. */
static bool read_device(struct gpu_reader *reader, const uint8_t *raw, size_t room)
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
	uint64_t unwanted = reader->counters[GPU_COUNTER_UNWANTED];
	enum gpu_lane lane = GPU_LANE_NONE;
	reader->counters[GPU_COUNTER_RECORDS]++;
	switch (room >= sizeof(uint32_t) ? load(raw, sizeof(uint32_t)) : 0) {
	case KIND_KERNEL:
		lane = read_kernel(reader, raw, room, now_ns, ret_record);
		break;
	case KIND_MEMCPY:
		lane = read_copy(reader, raw, room, now_ns, ret_record);
		break;
	case KIND_MEMCPY2:
		lane = read_peer_copy(reader, raw, room, now_ns, ret_record);
		break;
	case KIND_MEMSET:
		lane = read_set(reader, raw, room, now_ns, ret_record);
		break;
	case KIND_SYNCHRONIZATION:
		lane = read_sync(reader, raw, room, now_ns, ret_record);
		break;
	case KIND_API:
		lane = read_call(reader, raw, room, now_ns, false, ret_record);
		break;
	case KIND_DRIVER:
		lane = read_call(reader, raw, room, now_ns, true, ret_record);
		break;
	case KIND_OVERHEAD:
		lane = read_overhead(reader, raw, room, ret_record);
		break;
	case KIND_MEMORY2:
		lane = read_memory(reader, raw, room, ret_record);
		break;
	case KIND_DEVICE:
		if (read_device(reader, raw, room))
			return GPU_LANE_NONE;
		break;
	default:
		break;
	}
	if (lane == GPU_LANE_NONE && unwanted == reader->counters[GPU_COUNTER_UNWANTED])
		reader->counters[GPU_COUNTER_UNKNOWN]++;
	return lane;
}
