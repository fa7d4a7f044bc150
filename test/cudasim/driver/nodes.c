/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "../core/capture.h"
#include "../core/state.h"
#include "driver.h"

/*
 * Nodes that are added one by one. What a node does is what the same call would have done to a
 * stream, so a stream of our own captures it: rules, durations and effects are those of the call.
 * A child graph's nodes are added themselves, and an empty one after them that stands for it.
 */

static int put_set(struct sim_call *call, const struct cu_set_parameters *set, CUstream stream)
{
	switch (set->element) {
	case 1:
		return sim_cuMemsetD2D8Async(call, set->target, set->pitch,
			(unsigned char)set->value, set->width, set->height, stream);
	case 2:
		return sim_cuMemsetD2D16Async(call, set->target, set->pitch,
			(unsigned short)set->value, set->width, set->height, stream);
	case 4:
		return sim_cuMemsetD2D32Async(
			call, set->target, set->pitch, set->value, set->width, set->height, stream);
	default:
		return cudaErrorInvalidValue;
	}
}

/* The call that does what the node is to do. */
static int put(struct sim_call *call, const struct cu_node_parameters *node, CUstream stream)
{
	const struct cu_kernel_parameters *kernel = &node->kernel;
	switch (node->type) {
	case WORK_KERNEL:
		return sim_cuLaunchKernel(call,
			kernel->function ? kernel->function : kernel->kernel, kernel->grid[0],
			kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1],
			kernel->block[2], kernel->shared_bytes, stream, kernel->args,
			kernel->extra);
	case WORK_COPY:
		return sim_cuMemcpy3DAsync_v2(call, &node->copy.box, stream);
	case WORK_SET:
		return put_set(call, &node->set, stream);
	default:
		return cudaErrorNotSupported;
	}
}

/* Adds to the graph what a capture of the call adds: one node, or for an empty copy none. */
static int add_captured(struct sim_call *call, CUgraph graph, const struct node_list *after,
	const struct cu_node_parameters *parameters)
{
	struct capture capture = {.graph = graph,
		.mode = CUDA_CAPTURE_RELAXED,
		.status = CUDA_CAPTURE_ACTIVE,
		.graph_is_given = 1};
	state_lock();
	CUstream stream =
		stream_create(context_current(), CUDA_STREAM_NON_BLOCKING, 0, STREAM_CREATED);
	state_unlock();
	if (!stream)
		return cudaErrorMemoryAllocation;
	capture.origin = stream;
	int result = node_list_set(&stream->tail, after);
	stream->capture = &capture;
	const struct sim_detail detail = call->detail;
	if (result == 0)
		result = put(call, parameters, stream);
	call->detail = detail;
	stream->capture = NULL;
	(void)node_list_set(&stream->tail, &(struct node_list){0});
	state_lock();
	stream_destroy(stream);
	state_unlock();
	return result;
}

/* The nodes of another graph, and one that follows them. */
static int add_child(CUgraph graph, const struct node_list *after, CUgraph child)
{
	const struct work empty = {.type = WORK_EMPTY};
	struct node_list tail = {0};
	if (!graph_is_valid(child) || child == graph)
		return cudaErrorInvalidValue;
	CUgraphExec exec = exec_create(child, 0);
	int result = exec ? node_list_set(&tail, after) : cudaErrorMemoryAllocation;
	if (result == 0)
		result = graph_add_exec(graph, exec, &tail);
	CUgraphNode node = result ? NULL : graph_add(graph, work_keep(&empty), &tail);
	if (node)
		node->children = child->nodes.count;
	if (exec)
		exec_destroy(exec);
	free(tail.nodes);
	return node ? 0 : result ? result : cudaErrorMemoryAllocation;
}

static int add(struct sim_call *call, CUgraph graph, const struct node_list *after,
	const struct cu_node_parameters *parameters)
{
	const struct work empty = {.type = WORK_EMPTY};
	size_t before = graph->nodes.count;
	if (parameters->type == WORK_GRAPH)
		return add_child(graph, after, parameters->child);
	int result =
		parameters->type == WORK_EMPTY ? 0 : add_captured(call, graph, after, parameters);
	if (result || graph->nodes.count > before)
		return result;
	return graph_add(graph, work_keep(&empty), after) ? 0 : cudaErrorMemoryAllocation;
}

int sim_cuGraphAddNode_v2(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, const struct cuda_edge_data *edges, size_t count,
	const struct cu_node_parameters *parameters)
{
	const struct node_list list = {(CUgraphNode *)(uintptr_t)after, count};
	(void)edges;
	if (!ret_node || !parameters || !graph_is_valid(graph) || (count && !after))
		return cudaErrorInvalidValue;
	call->detail.set |= SIM_SET_GRAPH;
	call->detail.graph = graph->id;
	int result = add(call, graph, &list, parameters);
	if (result == 0)
		*ret_node = graph->nodes.nodes[graph->nodes.count - 1];
	return result;
}

int sim_cuGraphAddNode(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, size_t count, const struct cu_node_parameters *parameters)
{
	return sim_cuGraphAddNode_v2(call, ret_node, graph, after, NULL, count, parameters);
}

int sim_cuGraphAddKernelNode_v2(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, size_t count, const struct cu_kernel_parameters *kernel)
{
	struct cu_node_parameters parameters = {.type = WORK_KERNEL};
	if (!kernel)
		return cudaErrorInvalidValue;
	parameters.kernel = *kernel;
	return sim_cuGraphAddNode(call, ret_node, graph, after, count, &parameters);
}

int sim_cuGraphAddMemcpyNode(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, size_t count, const struct cu_memcpy_3d *box, CUcontext context)
{
	struct cu_node_parameters parameters = {.type = WORK_COPY};
	(void)context;
	if (!box)
		return cudaErrorInvalidValue;
	parameters.copy.box = *box;
	return sim_cuGraphAddNode(call, ret_node, graph, after, count, &parameters);
}

int sim_cuGraphAddMemsetNode(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, size_t count, const struct cu_set_parameters *set,
	CUcontext context)
{
	struct cu_node_parameters parameters = {.type = WORK_SET};
	(void)context;
	if (!set)
		return cudaErrorInvalidValue;
	parameters.set = *set;
	return sim_cuGraphAddNode(call, ret_node, graph, after, count, &parameters);
}

int sim_cuGraphAddChildGraphNode(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, size_t count, CUgraph child)
{
	struct cu_node_parameters parameters = {.type = WORK_GRAPH};
	parameters.child = child;
	return sim_cuGraphAddNode(call, ret_node, graph, after, count, &parameters);
}

/* What a node of an executable graph does from now on. The graph that it was made of stays. */
int sim_cuGraphExecNodeSetParams(struct sim_call *call, CUgraphExec exec, CUgraphNode node,
	const struct cu_node_parameters *parameters)
{
	if (!exec_is_valid(exec) || !graph_node_is_valid(node) || !parameters)
		return cudaErrorInvalidValue;
	call->detail.set |= SIM_SET_GRAPH;
	call->detail.graph = exec->graph_id;
	CUgraph other = graph_create();
	if (!other)
		return cudaErrorMemoryAllocation;
	int result = add(call, other, &(struct node_list){0}, parameters);
	if (result == 0)
		result = exec_replace(exec, node->number, other);
	graph_destroy(other);
	return result;
}

int sim_cuGraphExecKernelNodeSetParams_v2(struct sim_call *call, CUgraphExec exec, CUgraphNode node,
	const struct cu_kernel_parameters *kernel)
{
	struct cu_node_parameters parameters = {.type = WORK_KERNEL};
	if (!kernel)
		return cudaErrorInvalidValue;
	parameters.kernel = *kernel;
	return sim_cuGraphExecNodeSetParams(call, exec, node, &parameters);
}

int sim_cuGraphExecMemcpyNodeSetParams(struct sim_call *call, CUgraphExec exec, CUgraphNode node,
	const struct cu_memcpy_3d *box, CUcontext context)
{
	struct cu_node_parameters parameters = {.type = WORK_COPY};
	(void)context;
	if (!box)
		return cudaErrorInvalidValue;
	parameters.copy.box = *box;
	return sim_cuGraphExecNodeSetParams(call, exec, node, &parameters);
}

int sim_cuGraphExecMemsetNodeSetParams(struct sim_call *call, CUgraphExec exec, CUgraphNode node,
	const struct cu_set_parameters *set, CUcontext context)
{
	struct cu_node_parameters parameters = {.type = WORK_SET};
	(void)context;
	if (!set)
		return cudaErrorInvalidValue;
	parameters.set = *set;
	return sim_cuGraphExecNodeSetParams(call, exec, node, &parameters);
}

int sim_cuGraphExecChildGraphNodeSetParams(
	struct sim_call *call, CUgraphExec exec, CUgraphNode node, CUgraph child)
{
	struct cu_node_parameters parameters = {.type = WORK_GRAPH};
	parameters.child = child;
	return sim_cuGraphExecNodeSetParams(call, exec, node, &parameters);
}
