/* SPDX-License-Identifier: MIT */
/*
 * What the truth log and its followers say of a call: the layer it was made on, what it made the
 * device do, and the arguments that matter to a reader. Plain values without ownership; the name
 * lives as long as the process.
 */
#ifndef CUDASIM_CORE_DETAIL_H
#define CUDASIM_CORE_DETAIL_H

#include <stdint.h>

enum sim_layer {
	SIM_RUNTIME,
	SIM_DRIVER,
	SIM_LIBRARY
};

/* What an operation is. */
enum op_kind {
	OP_KERNEL,
	OP_MEMCPY,
	OP_MEMSET,
	OP_HOST
};

/* Flags of call_begin. */
enum sim_call_flags {
	SIM_CALL_PER_THREAD = 1 << 0, /* _ptsz, _ptds: stream 0 is the thread's default stream */
	SIM_CALL_INIT = 1 << 1,       /* fails before cuInit and in a forked child */
	SIM_CALL_CONTEXT = 1 << 2,    /* fails without a current context and after a sticky error */
};

/* Bits of sim_detail.set: which members below hold something worth logging. */
enum sim_set {
	SIM_SET_STREAM = 1 << 0,
	SIM_SET_EVENT = 1 << 1,
	SIM_SET_BYTES = 1 << 2,
	SIM_SET_KIND = 1 << 3,
	SIM_SET_MEMORY = 1 << 4, /* source, target */
	SIM_SET_KERNEL = 1 << 5, /* name, grid, block, shared_bytes */
	SIM_SET_GRAPH = 1 << 6,
	SIM_SET_ADDRESS = 1 << 7,
	SIM_SET_FLAGS = 1 << 8,
	SIM_SET_DEVICE = 1 << 9,
	SIM_SET_CAPTURED = 1 << 10, /* the operation went into a graph, not to the device */
	SIM_SET_TEXT = 1 << 11,     /* name alone: a symbol, an attribute, a file */
	SIM_SET_WAITS = 1 << 12,    /* by its rules the call waits for the device */
	SIM_SET_PEER = 1 << 13,     /* source_device, target_device: a copy between two devices */
};

enum sim_memory {
	SIM_PAGEABLE,
	SIM_PINNED,
	SIM_DEVICE,
	SIM_MANAGED
};

/* The arguments of a call that matter to a reader of the truth log. */
struct sim_detail {
	uint32_t set;
	uint32_t stream; /* number, not handle: 7 is the legacy default stream */
	uint32_t device;
	uint32_t flags;
	uint32_t shared_bytes;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t value; /* of a set; not in the log */
	uint8_t kind;   /* cudaMemcpyKind: 0 h2h, 1 h2d, 2 d2h, 3 d2d, 4 default */
	uint8_t source; /* enum sim_memory */
	uint8_t target;
	uint8_t source_device;
	uint8_t target_device;
	uint8_t arrays; /* of a copy, with SIM_SET_MEMORY: bit 0 the source, bit 1 the target */
	uint64_t event; /* number, not handle */
	uint64_t graph; /* number of a graph or an executable graph */
	uint64_t bytes;
	uint64_t address;
	uint64_t moment_ns; /* when the event that is recorded happens; not in the log */
	const char *name;   /* lives as long as the process */
};

#endif
