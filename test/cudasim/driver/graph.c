/* SPDX-License-Identifier: MIT */
#include "../core/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/copy.h"
#include "driver.h"

int sim_cuGraphCreate(struct sim_call *call, CUgraph *ret_graph, unsigned flags)
{
	if (!ret_graph || flags)
		return cudaErrorInvalidValue;
	CUgraph graph = graph_create();
	if (!graph)
		return cudaErrorMemoryAllocation;
	*ret_graph = graph;
	call->detail.set |= SIM_SET_GRAPH;
	call->detail.graph = graph->id;
	return 0;
}

/* Notes the graph's number in the call. Returns 0, or an error if there is no such graph. */
static int note_graph(struct sim_call *call, CUgraph graph)
{
	if (!graph_is_valid(graph))
		return cudaErrorInvalidValue;
	call->detail.set |= SIM_SET_GRAPH;
	call->detail.graph = graph->id;
	return 0;
}

int sim_cuGraphDestroy(struct sim_call *call, CUgraph graph)
{
	int result = note_graph(call, graph);
	if (result == 0)
		graph_destroy(graph);
	return result;
}

int sim_cuGraphAddEmptyNode(struct sim_call *call, CUgraphNode *ret_node, CUgraph graph,
	const CUgraphNode *after, size_t count)
{
	const struct work empty = {.type = WORK_EMPTY};
	struct node_list list = {(CUgraphNode *)(uintptr_t)after, count};
	int result = note_graph(call, graph);
	if (result)
		return result;
	CUgraphNode node = graph_add(graph, work_keep(&empty), &list);
	if (!node)
		return cudaErrorMemoryAllocation;
	*ret_node = node;
	return 0;
}

/* Answers in CUDA's way: without an array the count alone, else as many as fit. */
static int give_nodes(const struct node_list *list, CUgraphNode *nodes, size_t *count)
{
	if (!count)
		return cudaErrorInvalidValue;
	if (nodes) {
		size_t room = *count < list->count ? *count : list->count;
		if (room)
			memcpy(nodes, list->nodes, room * sizeof(*nodes));
		for (size_t i = list->count; i < *count; i++)
			nodes[i] = NULL;
	}
	*count = list->count;
	return 0;
}

int sim_cuGraphGetNodes(struct sim_call *call, CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	int result = note_graph(call, graph);
	return result ? result : give_nodes(&graph->nodes, nodes, count);
}

int sim_cuGraphGetRootNodes(struct sim_call *call, CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	struct node_list roots = {0};
	int result = note_graph(call, graph);
	for (size_t i = 0; result == 0 && i < graph->nodes.count; i++) {
		CUgraphNode node = graph->nodes.nodes[i];
		if (node->after.count == 0)
			result = node_list_merge(&roots, &(struct node_list){&node, 1});
	}
	if (result == 0)
		result = give_nodes(&roots, nodes, count);
	free(roots.nodes);
	return result;
}

int sim_cuGraphGetEdges_v2(struct sim_call *call, CUgraph graph, CUgraphNode *from, CUgraphNode *to,
	struct cuda_edge_data *edges, size_t *count)
{
	size_t found = 0;
	int result = note_graph(call, graph);
	if (result || !count)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < graph->nodes.count; i++) {
		CUgraphNode node = graph->nodes.nodes[i];
		for (size_t j = 0; j < node->after.count; j++, found++) {
			if (!from || !to || found >= *count)
				continue;
			from[found] = node->after.nodes[j];
			to[found] = node;
			if (edges)
				memset(&edges[found], 0, sizeof(edges[found]));
		}
	}
	*count = found;
	return 0;
}

int sim_cuGraphGetEdges(
	struct sim_call *call, CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	return sim_cuGraphGetEdges_v2(call, graph, from, to, NULL, count);
}

int sim_cuGraphNodeGetType(struct sim_call *call, CUgraphNode node, int *ret_type)
{
	(void)call;
	if (!graph_node_is_valid(node) || !ret_type)
		return cudaErrorInvalidValue;
	*ret_type = node->children ? WORK_GRAPH : node->work->work->type;
	return 0;
}

int sim_cuGraphNodeGetDependencies_v2(struct sim_call *call, CUgraphNode node, CUgraphNode *after,
	struct cuda_edge_data *edges, size_t *count)
{
	(void)call;
	if (!graph_node_is_valid(node) || !count)
		return cudaErrorInvalidValue;
	if (edges)
		memset(edges, 0, *count * sizeof(*edges));
	return give_nodes(&node->after, after, count);
}

int sim_cuGraphNodeGetDependencies(
	struct sim_call *call, CUgraphNode node, CUgraphNode *after, size_t *count)
{
	return sim_cuGraphNodeGetDependencies_v2(call, node, after, NULL, count);
}

int sim_cuGraphInstantiateWithFlags(
	struct sim_call *call, CUgraphExec *ret_exec, CUgraph graph, unsigned long long flags)
{
	int result = note_graph(call, graph);
	if (result || !ret_exec)
		return cudaErrorInvalidValue;
	CUgraphExec exec = exec_create(graph, flags);
	if (!exec)
		return cudaErrorMemoryAllocation;
	*ret_exec = exec;
	return 0;
}

/* CUgraphExecUpdateResultInfo: what went wrong (0: nothing, 3: another kind of node), where. */
struct update_info {
	int result;
	CUgraphNode node, from;
};

int sim_cuGraphExecUpdate_v2(struct sim_call *call, CUgraphExec exec, CUgraph graph, void *ret_info)
{
	struct update_info info = {0};
	int result = note_graph(call, graph);
	if (result || !exec_is_valid(exec))
		return cudaErrorInvalidValue;
	result = exec_update(exec, graph);
	info.result = result ? 3 : 0;
	if (ret_info)
		memcpy(ret_info, &info, sizeof(info));
	return result;
}

int sim_cuGraphExecDestroy(struct sim_call *call, CUgraphExec exec)
{
	(void)call;
	if (!exec_is_valid(exec))
		return cudaErrorInvalidValue;
	exec_destroy(exec);
	return 0;
}

int sim_cuGraphUpload(struct sim_call *call, CUgraphExec exec, CUstream handle)
{
	if (!exec_is_valid(exec))
		return cudaErrorInvalidValue;
	return stream_of_call(call, handle) ? 0 : cudaErrorInvalidResourceHandle;
}

int sim_cuGraphLaunch(struct sim_call *call, CUgraphExec exec, CUstream handle)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!exec_is_valid(exec))
		return cudaErrorInvalidValue;
	int result = exec_launch(call, exec, stream);
	call_spend(call);
	return result;
}

int sim_cuGraphDebugDotPrint(struct sim_call *call, CUgraph graph, const char *path, unsigned flags)
{
	(void)flags;
	int result = note_graph(call, graph);
	if (result)
		return result;
	FILE *file = fopen(path, "w");
	if (!file)
		return cudaErrorOperatingSystem;
	fprintf(file, "digraph dot {\n");
	for (size_t i = 0; i < graph->nodes.count; i++) {
		CUgraphNode node = graph->nodes.nodes[i];
		CUkernel kernel = node->work->work->kernel;
		fprintf(file, "\tn%zu [label=\"%d %s\"];\n", node->number, node->work->work->type,
			kernel ? kernel->name : "");
		for (size_t j = 0; j < node->after.count; j++)
			fprintf(file, "\tn%zu -> n%zu;\n", node->after.nodes[j]->number,
				node->number);
	}
	fprintf(file, "}\n");
	return fclose(file) ? cudaErrorOperatingSystem : 0;
}

/* A thing of the program's whose destructor runs when nobody refers to it any more. */
struct CUuserObject_st {
	void *pointer;
	cuda_host_function *destroy;
	unsigned references;
};

int sim_cuUserObjectCreate(struct sim_call *call, CUuserObject *ret_object, void *pointer,
	cuda_host_function *destroy, unsigned count, unsigned flags)
{
	(void)call;
	(void)flags;
	if (!ret_object || !destroy || count == 0)
		return cudaErrorInvalidValue;
	CUuserObject object = malloc(sizeof(*object));
	if (!object)
		return cudaErrorMemoryAllocation;
	*object = (struct CUuserObject_st){pointer, destroy, count};
	*ret_object = object;
	return 0;
}

int sim_cuUserObjectRetain(struct sim_call *call, CUuserObject object, unsigned count)
{
	(void)call;
	if (!object)
		return cudaErrorInvalidValue;
	__atomic_add_fetch(&object->references, count, __ATOMIC_RELAXED);
	return 0;
}

int sim_cuUserObjectRelease(struct sim_call *call, CUuserObject object, unsigned count)
{
	(void)call;
	if (!object || count > __atomic_load_n(&object->references, __ATOMIC_RELAXED))
		return cudaErrorInvalidValue;
	if (__atomic_sub_fetch(&object->references, count, __ATOMIC_ACQ_REL) == 0) {
		object->destroy(object->pointer);
		free(object);
	}
	return 0;
}

enum {
	GRAPH_TAKES_REFERENCE = 1
}; /* CU_GRAPH_USER_OBJECT_MOVE */

/* A graph's references are kept to the end of the process: graphs may still be launched. */
int sim_cuGraphRetainUserObject(
	struct sim_call *call, CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
	int result = note_graph(call, graph);
	if (result || flags & GRAPH_TAKES_REFERENCE)
		return result;
	return sim_cuUserObjectRetain(call, object, count);
}

int sim_cuGraphReleaseUserObject(
	struct sim_call *call, CUgraph graph, CUuserObject object, unsigned count)
{
	int result = note_graph(call, graph);
	return result ? result : sim_cuUserObjectRelease(call, object, count);
}
