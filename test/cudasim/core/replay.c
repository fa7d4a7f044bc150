/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "graph.h"
#include "state.h"

/* What one launch of a graph needs for each node: its operation with times, and its end. */
struct step {
	struct sim_op op;
	struct sim_point end;
};

static struct sim_point ready_of(
	const struct exec_node *node, const struct step *steps, struct sim_point start)
{
	struct sim_point ready = start;
	for (size_t i = 0; i < node->after_count; i++)
		ready = point_latest(ready, steps[node->after[i]].end);
	return ready;
}

/* Gives one node its times; what is not an operation takes no time. State's lock held. */
static void place_node(const struct sim_call *call, CUstream stream, const struct exec_node *node,
	struct step *step, struct sim_point ready)
{
	struct work *work = node->work->work;
	step->end = ready;
	if (work->type == WORK_RECORD_EVENT) {
		work->event->recorded = 1;
		work->event->point = ready;
		return;
	}
	if (work->type == WORK_WAIT_EVENT) {
		if (work->event->recorded)
			step->end = point_latest(ready, work->event->point);
		return;
	}
	if (work->type == WORK_EMPTY)
		return;
	op_place(device_get(stream->context->device), &step->op, ready.end_ns);
	step->end.end_ns = step->op.end_ns;
	if (work->type == WORK_HOST)
		step->end.callback = work_queue_function(call, stream, work, &step->op);
}

static void place_all(
	const struct sim_call *call, CUgraphExec exec, CUstream stream, struct step *steps)
{
	state_lock();
	struct sim_point start = stream_ready(stream), end = start;
	uint64_t now_ns = clock_now();
	if (start.end_ns < now_ns)
		start.end_ns = now_ns;
	for (size_t i = 0; i < exec->count; i++) {
		const struct exec_node *node = &exec->nodes[i];
		steps[i].op = node->work->work->op;
		steps[i].op.node = i + 1;
		steps[i].op.detail.graph = exec->graph_id;
		steps[i].op.detail.set |= SIM_SET_GRAPH;
		place_node(call, stream, node, &steps[i], ready_of(node, steps, start));
		end = point_latest(end, steps[i].end);
	}
	stream_advance(stream, end);
	stream_submit(stream, end.end_ns);
	state_unlock();
}

static int is_operation(const struct work *work)
{
	return work->type == WORK_KERNEL || work->type == WORK_COPY || work->type == WORK_SET;
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
	struct step *steps = calloc(exec->count + 1, sizeof(*steps));
	if (!steps)
		return cudaErrorMemoryAllocation;
	stream_wait_queue(stream);
	place_all(call, exec, stream, steps);
	for (size_t i = 0; i < exec->count; i++) {
		struct work *work = exec->nodes[i].work->work;
		if (!is_operation(work))
			continue;
		work_effect(work, &steps[i].op);
		op_log(call, stream, &steps[i].op);
	}
	free(steps);
	return 0;
}
