/* SPDX-License-Identifier: MIT */
/*
 * Operations of the device: what is done, how long it takes by the model, when it begins and ends.
 *
 * op_place computes the times from what the operation waits for; op_enqueue does that for an
 * operation on a stream and advances the stream. op_log writes the line of the truth log, once
 * the effects on memory have been carried out.
 */
#ifndef CUDASIM_CORE_OP_H
#define CUDASIM_CORE_OP_H

#include "context.h"
#include "sim.h"
#include "stream.h"

struct sim_op {
	enum op_kind kind;
	int engine; /* ENGINE_... */
	uint64_t duration_ns;
	uint64_t least_end_ns; /* not before this moment, whatever the duration says; 0: none */
	uint64_t node;         /* number in its graph, 0: not from a graph */
	int computed;
	struct sim_detail detail;
	uint64_t begin_ns; /* results of op_place */
	uint64_t end_ns;
};

/* Sets begin and end of op, which is free to begin at ready_ns. Expects the state's lock. */
void op_place(struct device *device, struct sim_op *op, uint64_t ready_ns);

/*
 * Waits for room in the launch queue, puts op at the end of the stream. Returns the point at
 * which it is done. Takes and releases the state's lock.
 */
struct sim_point op_enqueue(CUstream stream, struct sim_op *op);

void op_log(const struct sim_call *call, CUstream stream, struct sim_op *op);

/* Completes the operation's detail and fills the record of it, which points to that. */
struct log_record;
void op_record(const struct sim_call *call, CUstream stream, struct sim_op *op,
	struct log_record *ret_record);

#endif
