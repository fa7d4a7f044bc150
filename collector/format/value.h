/* SPDX-License-Identifier: MIT */
/*
 * What the numbers in the fields of records mean (record.def says which field holds which).
 * They are part of the format: a number keeps its meaning, new ones are only added. A
 * reader that does not know a number shows the number. Constants alone: no code, no state.
 */
#ifndef COLLECTOR_FORMAT_VALUE_H
#define COLLECTOR_FORMAT_VALUE_H

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
	SYNC_EVENT = 3,
	SYNC_STREAM_WAIT = 4, /* DEVICE_SYNC: a stream waits for an event */
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
	OP_MINDSPORE = 3,
	OP_PROBE = 4, /* a function that the user named */
	OP_TENSORFLOW = 5,
	OP_JAX = 6,
	OP_ONNXRUNTIME = 7,
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

/* flags of RANGE; without a payload type the payload is 0 and means nothing */
enum range_flags {
	RANGE_MARK = 1 << 0,         /* one instant */
	RANGE_STARTED = 1 << 1,      /* started and ended by id, so it may overlap others */
	RANGE_OTHER_THREAD = 1 << 2, /* began on another thread than it ended on */
	RANGE_STEP = 1 << 3,         /* the program says that a training step ends */
	RANGE_MODULE = 1 << 4,       /* a call of a module; its class is the domain */
	RANGE_UINT64 = 1 << 8,
	RANGE_INT64 = 1 << 9,
	RANGE_DOUBLE = 1 << 10,
	RANGE_UINT32 = 1 << 11, /* 32 bits: in the low half of the payload */
	RANGE_INT32 = 1 << 12,
	RANGE_FLOAT = 1 << 13,
};

/* state of STACK: of the thread while its stack was read */
enum stack_state {
	STACK_RUNNING = 1, /* on a processor */
	STACK_WAITING = 2, /* asleep, or waiting for a processor */
};

/* what of MEMORY */
enum memory_what {
	MEMORY_ALLOCATED = 1, /* by tensors */
	MEMORY_RESERVED = 2,  /* from the device */
	MEMORY_OUT = 3,       /* so many bytes could not be had */
};

/* flags of STACK */
enum stack_flags {
	STACK_CUT = 1 << 0,   /* there are more frames outside of the outermost one */
	STACK_OUTER = 1 << 1, /* functions inside of the innermost frame came and went meanwhile */
};

/* flags of DEVICE_KERNEL, DEVICE_COPY, DEVICE_SET, DEVICE_SYNC, DEVICE_API */
enum device_flags {
	DEVICE_NO_TIMES =
		1 << 0, /* its times were lost: begin and end are those of its neighbour */
};

/* operation of DEVICE_MEMORY */
enum device_memory_operation {
	DEVICE_MEMORY_ALLOC = 1,
	DEVICE_MEMORY_FREE = 2,
};

/* domain of DEVICE_API */
enum device_api_domain {
	DEVICE_API_RUNTIME = 1,
	DEVICE_API_DRIVER = 2,
};

/* state of SOURCE_STATE; from its time on, until the next of the same source */
enum source_state {
	SOURCE_ACTIVE = 1,
	SOURCE_YIELDED = 2, /* another tool has it */
	SOURCE_FAILED = 3,
	SOURCE_ENDED = 4, /* at a clean end, or recording was switched off */
};

#endif
