/* SPDX-License-Identifier: MIT */
/*
 * The event as it travels: one fixed 64-byte struct from the hook to the
 * analyzer. Kinds and the meaning of the slots come from record.def; this
 * header expands them into constants, accessors and a descriptor table, so that
 * neither codec nor dump nor exporter knows a kind by heart.
 *
 * Times are clock ticks in a ring and CLOCK_MONOTONIC nanoseconds everywhere
 * else. A kind's slots that no FIELD names are 0. The struct is also the layout
 * of a ring in shared memory (live.h): its size and offsets never change within
 * a format version.
 */
#ifndef COLLECTOR_FORMAT_RECORD_H
#define COLLECTOR_FORMAT_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct record {
	uint64_t begin;
	uint64_t end;
	uint16_t kind;  /* enum record_kind */
	uint16_t call;  /* id of the function called, 0: none; names are definitions */
	uint32_t place; /* id of the place in the program, 0: unknown */
	uint32_t name;  /* id of a text, 0: none */
	int32_t result; /* what the call returned: 0 is success */
	uint64_t stream;
	uint64_t a;
	uint64_t b;
	uint32_t c;
	uint32_t d;
};
_Static_assert(sizeof(struct record) == 64, "a record is one cache line");

enum record_kind {
	RECORD_NONE = 0,
#define RECORD(kind, number, name, text) RECORD_##kind = number,
#define FIELD(kind, public, slot, shift, bits, type, where)
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END
	RECORD_KIND_LIMIT = 32
};

/* FIELD types and places, as in record.def. */
enum field_type {
	FIELD_UINT,
	FIELD_INT,
	FIELD_NAME,
	FIELD_HANDLE,
	FIELD_BITS
};
enum field_where {
	FIELD_SITE,
	FIELD_COLUMN
};

struct record_field {
	const char *name;
	uint8_t offset; /* of the slot in struct record */
	uint8_t size;   /* of the slot, bytes */
	uint8_t shift;
	uint8_t bits;
	uint8_t type;  /* enum field_type */
	uint8_t where; /* enum field_where */
};

struct record_kind_info {
	const char *name; /* NULL: no such kind */
	const char *text;
	const struct record_field *fields;
	unsigned field_count;
};

/* Indexed by kind number, RECORD_KIND_LIMIT entries. */
extern const struct record_kind_info record_kinds[RECORD_KIND_LIMIT];

/* The value of a field of a record, zero-extended (sign-extended for FIELD_INT). */
uint64_t record_get(const struct record *record, const struct record_field *field);

/* Set a field; bits beyond its width are cut off. */
void record_set(struct record *record, const struct record_field *field, uint64_t value);

/* Direction of a copy, as cudaMemcpyKind; DEFAULT is resolved where possible. */
enum copy_direction {
	COPY_HOST_TO_HOST = 0,
	COPY_HOST_TO_DEVICE = 1,
	COPY_DEVICE_TO_HOST = 2,
	COPY_DEVICE_TO_DEVICE = 3,
	COPY_DEFAULT = 4,
	COPY_PEER = 5,
};

enum memory_kind {
	MEMORY_UNKNOWN = 0,
	MEMORY_PAGEABLE = 1,
	MEMORY_PINNED = 2,
	MEMORY_DEVICE = 3,
	MEMORY_MANAGED = 4,
};

enum sync_scope {
	SYNC_DEVICE = 1,
	SYNC_STREAM = 2,
	SYNC_EVENT = 3
};

/* Scope of an OP, as at::RecordScope numbers them. */
enum op_scope {
	OP_FUNCTION = 0,
	OP_BACKWARD_FUNCTION = 1,
	OP_TORCHSCRIPT_FUNCTION = 2,
	OP_KERNEL_FUNCTION_DTYPE = 3,
	OP_CUSTOM_CLASS = 4,
	OP_BUILD_FEATURE = 5,
	OP_LITE_INTERPRETER = 6,
	OP_USER_SCOPE = 7,
	OP_STATIC_RUNTIME_OP = 8,
	OP_STATIC_RUNTIME_MODEL = 9,
};
enum op_framework {
	OP_TORCH = 1,
	OP_PADDLE = 2,
	OP_MINDSPORE = 3
};

/* flags of LAUNCH, COPY, SET, SYNC, EVENT, ALLOC, STREAM, GRAPH, CALL */
enum record_flags {
	RECORD_ASYNC = 1 << 0,       /* the function is an asynchronous form */
	RECORD_CAPTURED = 1 << 1,    /* the stream was being captured: nothing ran */
	RECORD_PER_THREAD = 1 << 2,  /* default stream is the thread's own (_ptsz, _ptds) */
	RECORD_DRIVER = 1 << 3,      /* a driver call, not a runtime call */
	RECORD_NOT_READY = 1 << 4,   /* a query that answered "not ready" */
	RECORD_CREATE = 1 << 5,      /* EVENT, STREAM, ALLOC, GRAPH: creates */
	RECORD_DESTROY = 1 << 6,     /* destroys, frees */
	RECORD_STREAM_WAIT = 1 << 7, /* EVENT: a stream waits for it */
	RECORD_QUERY = 1 << 8,
	RECORD_COOPERATIVE = 1 << 9,
	RECORD_HOST_FUNCTION = 1 << 10, /* LAUNCH: a host function */
	RECORD_BLOCKING = 1 << 11,      /* COPY, SET: documented to return after completion */
	RECORD_REGISTER = 1 << 12,      /* ALLOC: page-locks memory that was there */
	RECORD_INSTANTIATE = 1 << 13,   /* GRAPH */
	RECORD_LAUNCH_GRAPH = 1 << 14,  /* GRAPH */
	RECORD_SHAPED = 1 << 15, /* COPY, SET: 2D or 3D form, bytes are the sum of the rows */
};

/* metric of SAMPLE; all values are running totals since process start */
enum sample_metric {
	SAMPLE_USER_NS = 1,
	SAMPLE_SYSTEM_NS = 2,
	SAMPLE_READ_BYTES = 3, /* from storage */
	SAMPLE_WRITE_BYTES = 4,
	SAMPLE_READ_CALL_BYTES = 5, /* through read calls, cached or not */
	SAMPLE_MINOR_FAULTS = 6,
	SAMPLE_MAJOR_FAULTS = 7,
	SAMPLE_VOLUNTARY_SWITCHES = 8,
	SAMPLE_INVOLUNTARY_SWITCHES = 9,
	SAMPLE_HOST_BUSY_NS = 10, /* all processors of the host */
	SAMPLE_HOST_IDLE_NS = 11,
	SAMPLE_HOST_IOWAIT_NS = 12,
	SAMPLE_COLLECTOR_CPU_NS = 13, /* the drain thread's own CPU time */
	SAMPLE_RESIDENT_BYTES = 14,
};

#endif
