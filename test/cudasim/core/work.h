/* SPDX-License-Identifier: MIT */
/*
 * A piece of work for the device: the operation as the model sees it (op.h) and its effect on
 * memory. The same structure is carried out at once, when it is submitted to a stream, or kept as
 * the node of a graph and carried out at each launch of the graph.
 *
 * A work that is submitted lives on the caller's stack and points to the caller's arguments;
 * work_keep turns a copy of it into one that owns everything it needs.
 */
#ifndef CUDASIM_CORE_WORK_H
#define CUDASIM_CORE_WORK_H

#include "event.h"
#include "kernel.h"
#include "op.h"

/* Numbers of CUgraphNodeType. */
enum work_type {
	WORK_KERNEL = 0,
	WORK_COPY = 1,
	WORK_SET = 2,
	WORK_HOST = 3,
	WORK_GRAPH = 4, /* no work is one: a child graph's nodes are added themselves */
	WORK_EMPTY = 5,
	WORK_WAIT_EVENT = 6,
	WORK_RECORD_EVENT = 7,
};

enum copy_side {
	COPY_FROM_ARRAY = 1,
	COPY_TO_ARRAY = 2
};

/* A box of bytes: rows of width, height rows in a slice, depth slices. */
struct work_copy {
	char *target;
	const char *source;
	size_t width, height, depth;
	size_t target_pitch, target_slice;
	size_t source_pitch, source_slice;
	uint8_t arrays; /* which ends lie in an array: bits of enum copy_side */
};

struct work_set {
	char *target;
	size_t width, height, pitch; /* width in elements */
	unsigned element;            /* 1, 2, 4 bytes */
	uint32_t value;
};

struct work {
	enum work_type type;
	struct sim_op op; /* of kernels, copies, sets and host functions */
	CUkernel kernel;
	struct compute_launch launch;
	void *captured; /* by computed_capture */
	char *args;     /* a kept kernel's argument values; launch.args points into it */
	struct work_copy copy;
	struct work_set set;
	cuda_host_function *function;
	cuda_stream_callback *callback;
	void *user_data;
	CUstream stream; /* as named by the program, for the callback */
	CUevent event;
};

/*
 * Puts work at the end of the stream and carries out its effect; or, while the stream is
 * capturing, adds it to the graph. *ret_point (may be NULL) is when it is done. Returns 0 or an
 * error. Without any lock held.
 */
int work_submit(
	struct sim_call *call, CUstream stream, struct work *work, struct sim_point *ret_point);

/* Is it a kernel that waits for others (late.h)? */
int work_is_late(const struct work *work);

/* Carries out the effect on memory of a kernel, copy or set; notes in op whether computed. */
void work_effect(struct work *work, struct sim_op *op);

/* The part of a work that calls a function of the program: queues it. State's lock held. */
uint64_t work_queue_function(
	const struct sim_call *call, CUstream stream, const struct work *work, struct sim_op *op);

/* A copy that owns its arguments; NULL when out of memory. work_free takes NULL. */
struct work *work_keep(const struct work *work);
void work_free(struct work *work);

#endif
