/* SPDX-License-Identifier: MIT */
/*
 * Records of CUPTI become records of the trace, one by one. Fields lie where cupti.def says;
 * a field that the library's version does not have reads as 0. Times are taken as they are: the
 * library's clock is CLOCK_MONOTONIC ns.
 *
 * A record whose times were lost gets the end of the record before it on its stream, and a flag.
 * A driver call that a runtime call made is left out when the runtime's own record follows
 * (gpu_records_same_call()). Names of kernels are interned; a cache by address spares the search,
 * and compares the text once per buffer, because addresses are used again. Nothing is allocated,
 * drain thread only.
 */
#ifndef COLLECTOR_GPU_RECORDS_H
#define COLLECTOR_GPU_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/format/definition.h"
#include "collector/format/fields.h"

#define GPU_DEVICE_LIMIT  16u
#define GPU_STREAM_BITS   6u
#define GPU_CONTEXT_LIMIT 16u
#define GPU_NAME_BITS     10u

/* Kinds of CUPTI's records by the names of cupti.def; both kinds of calls share a layout (API). */
enum gpu_kind {
#define CUPTI_RECORD(RECORD, kind, name) KIND_##RECORD = (kind),
#include "collector/gpu/cupti.def"
	KIND_DRIVER = 4,
	KIND_RUNTIME = KIND_API,
};

enum gpu_counter {
#define GPU_COUNTER(NAME, name) GPU_COUNTER_##NAME,
#include "collector/gpu/counters.def"
	GPU_COUNTER_COUNT
};

/* What became of a record, and under which of the two pseudo threads it goes. */
enum gpu_lane {
	GPU_LANE_DEVICE, /* kernels, copies, sets */
	GPU_LANE_CALLS,  /* calls, waits, overhead, memory: what happens on the host's side */
	GPU_LANE_COUNT,
	GPU_LANE_NONE /* counted, or a device */
};

struct gpu_reader {
	uint32_t version; /* of the library */
	uint64_t counters[GPU_COUNTER_COUNT];
	uint64_t last_end_ns;  /* of a device record */
	uint64_t last_call_ns; /* end of a call or wait */
	struct gpu_stream {    /* by a hash of device and stream */
		uint64_t key, begin_ns, end_ns;
	} streams[1u << GPU_STREAM_BITS];
	struct gpu_context {
		uint32_t context, device;
	} contexts[GPU_CONTEXT_LIMIT];
	struct gpu_name {
		const char *text;  /* the library's */
		const char *known; /* what it was, of so many bytes; valid for ever */
		size_t length;
		uint32_t id;
		uint32_t buffer; /* in which it was compared */
	} names[1u << GPU_NAME_BITS];
	uint32_t buffer; /* number of the buffer that is read, see gpu_records_begin() */
	struct gpu_device {
		struct meta_DEVICE meta;
		char name[64];
		bool told;
	} devices[GPU_DEVICE_LIMIT];
	unsigned device_count;
};

/* The lane of a record by its kind alone; raw is at least 4 bytes. */
static inline enum gpu_lane gpu_records_lane(const uint8_t *raw)
{
	uint32_t kind;
	memcpy(&kind, raw, sizeof(kind));
	bool is_operation = kind == KIND_KERNEL || kind == KIND_MEMCPY || kind == KIND_MEMSET ||
			    kind == KIND_MEMCPY2;
	return is_operation ? GPU_LANE_DEVICE : GPU_LANE_CALLS;
}

/* The next buffer begins: texts may have changed since the last one. */
static inline void gpu_records_begin(struct gpu_reader *reader)
{
	reader->buffer++;
}

/*
 * Read the record at raw, of which at most room bytes may be touched. *ret_record is filled unless
 * GPU_LANE_NONE is returned. now_ns: CLOCK_MONOTONIC of the reading.
 */
enum gpu_lane gpu_records_read(struct gpu_reader *reader, const uint8_t *raw, size_t room,
	uint64_t now_ns, struct record *ret_record);

/* What a call's record says of when and which; false: the record at raw is none of a call. */
bool gpu_records_call(const uint8_t *raw, size_t room, struct record *ret_record);

/* True when before is the driver call inside of the runtime call after. */
static inline bool gpu_records_same_call(const struct record *before, const struct record *after)
{
	return before->kind == RECORD_DEVICE_API && after->kind == RECORD_DEVICE_API &&
	       record_DEVICE_API_domain(before) == DEVICE_API_DRIVER &&
	       record_DEVICE_API_domain(after) == DEVICE_API_RUNTIME &&
	       record_correlation(before) == record_correlation(after) &&
	       record_DEVICE_API_thread(before) == record_DEVICE_API_thread(after);
}

#endif
