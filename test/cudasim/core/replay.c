/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "graph.h"
#include "late.h"
#include "state.h"

static struct sim_point ready_of(
	const struct exec_node *node, const struct sim_point *ends, struct sim_point start)
{
	struct sim_point ready = start;
	state_lock();
	for (size_t i = 0; i < node->after_count; i++)
		ready = point_latest(ready, ends[node->after[i]]);
	state_unlock();
	return ready;
}

/* Gives an operation its times and carries it out. Returns the point at which it is done. */
static struct sim_point run_operation(struct sim_call *call, CUstream stream, struct work *work,
	struct sim_op *op, struct sim_point ready)
{
	struct sim_point end = ready;
	if (work_is_late(work)) {
		end.late = late_start(call, stream, work, op, ready.end_ns);
		return end;
	}
	state_lock();
	op_place(device_get(stream->context->device), op, ready.end_ns);
	end.end_ns = op->end_ns;
	if (work->type == WORK_HOST)
		end.callback = work_queue_function(call, stream, work, op);
	state_unlock();
	if (work->type != WORK_HOST) {
		work_effect(work, op);
		op_log(call, stream, op);
	}
	return end;
}

/* One node of a launch; what is not an operation takes no time. */
static struct sim_point run_node(struct sim_call *call, CUstream stream, struct work *work,
	struct sim_op *op, struct sim_point ready)
{
	switch (work->type) {
	case WORK_RECORD_EVENT:
		state_lock();
		work->event->recorded = 1;
		work->event->point = ready;
		state_unlock();
		return ready;
	case WORK_WAIT_EVENT:
		state_lock();
		if (work->event->recorded)
			ready = point_latest(ready, work->event->point);
		state_unlock();
		return ready;
	case WORK_EMPTY:
		return ready;
	default:
		late_wait(ready.late);
		return run_operation(call, stream, work, op, late_fold(ready));
	}
}

static struct sim_point run_all(
	struct sim_call *call, CUgraphExec exec, CUstream stream, struct sim_point *ends)
{
	state_lock();
	struct sim_point start = stream_ready_surely(stream), end = start;
	state_unlock();
	uint64_t now_ns = clock_now();
	if (start.end_ns < now_ns)
		start.end_ns = now_ns;
	for (size_t i = 0; i < exec->count; i++) {
		const struct exec_node *node = &exec->nodes[i];
		struct sim_op op = node->work->work->op;
		op.node = i + 1;
		op.detail.graph = exec->graph_id;
		op.detail.set |= SIM_SET_GRAPH;
		ends[i] =
			run_node(call, stream, node->work->work, &op, ready_of(node, ends, start));
		state_lock();
		end = point_latest(end, ends[i]);
		state_unlock();
	}
	return end;
}

int exec_launch(struct sim_call *call, CUgraphExec exec, CUstream stream)
{
	call->detail.graph = exec->graph_id;
	call->detail.set |= SIM_SET_GRAPH;
	if (stream->capture) {
		call->detail.set |= SIM_SET_CAPTURED;
		return capture_add_exec(stream, exec);
	}
	int result = capture_check_legacy(stream);
	if (result)
		return result;
	struct sim_point *ends = calloc(exec->count + 1, sizeof(*ends));
	if (!ends)
		return cudaErrorMemoryAllocation;
	stream_wait_queue(stream);
	struct sim_point end = run_all(call, exec, stream, ends);
	state_lock();
	stream_advance(stream, end);
	stream_submit(stream, end.end_ns);
	state_unlock();
	free(ends);
	return 0;
}
