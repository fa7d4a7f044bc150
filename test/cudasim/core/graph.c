/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"

#define GRAPH_MAGIC 0x47524150482d2d31ull
#define NODE_MAGIC  0x4e4f44452d2d2d31ull
#define EXEC_MAGIC  0x455845432d2d2d31ull

static uint64_t last_id;

CUgraph graph_create(void)
{
	CUgraph graph = calloc(1, sizeof(*graph));
	if (graph) {
		graph->magic = GRAPH_MAGIC;
		graph->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	}
	return graph;
}

static void release_work(struct graph_work *work)
{
	if (!work || __atomic_sub_fetch(&work->owners, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	work_free(work->work);
	free(work);
}

void graph_destroy(CUgraph graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		CUgraphNode node = graph->nodes.nodes[i];
		node->magic = 0;
		release_work(node->work);
		free(node->after.nodes);
		free(node);
	}
	graph->magic = 0;
	free(graph->nodes.nodes);
	free(graph);
}

int graph_is_valid(CUgraph graph)
{
	return graph && graph->magic == GRAPH_MAGIC;
}

int graph_node_is_valid(CUgraphNode node)
{
	return node && node->magic == NODE_MAGIC;
}

int exec_is_valid(CUgraphExec exec)
{
	return exec && exec->magic == EXEC_MAGIC;
}

int node_list_set(struct node_list *list, const struct node_list *other)
{
	CUgraphNode *nodes = malloc((other->count + 1) * sizeof(*nodes));
	if (!nodes)
		return cudaErrorMemoryAllocation;
	if (other->count)
		memcpy(nodes, other->nodes, other->count * sizeof(*nodes));
	free(list->nodes);
	list->nodes = nodes;
	list->count = other->count;
	return 0;
}

int node_list_merge(struct node_list *list, const struct node_list *other)
{
	size_t count = list->count;
	CUgraphNode *nodes = realloc(list->nodes, (count + other->count + 1) * sizeof(*nodes));
	if (!nodes)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < other->count; i++) {
		size_t j = 0;
		while (j < count && nodes[j] != other->nodes[i])
			j++;
		if (j == count)
			nodes[count++] = other->nodes[i];
	}
	list->nodes = nodes;
	list->count = count;
	return 0;
}

static int make_room(CUgraph graph)
{
	if (graph->nodes.count < graph->capacity)
		return 0;
	size_t capacity = graph->capacity ? graph->capacity * 2 : 32;
	CUgraphNode *nodes = realloc(graph->nodes.nodes, capacity * sizeof(CUgraphNode));
	if (!nodes)
		return -1;
	graph->nodes.nodes = nodes;
	graph->capacity = capacity;
	return 0;
}

static CUgraphNode add_shared(CUgraph graph, struct graph_work *work, const struct node_list *after)
{
	CUgraphNode node = calloc(1, sizeof(*node));
	if (!node || make_room(graph) || node_list_set(&node->after, after)) {
		free(node);
		return NULL;
	}
	node->magic = NODE_MAGIC;
	node->graph = graph;
	node->work = work;
	graph->nodes.nodes[graph->nodes.count++] = node;
	node->number = graph->nodes.count;
	return node;
}

CUgraphNode graph_add(CUgraph graph, struct work *work, const struct node_list *after)
{
	struct graph_work *shared = calloc(1, sizeof(*shared));
	if (!work || !shared) {
		work_free(work);
		free(shared);
		return NULL;
	}
	shared->owners = 1;
	shared->work = work;
	CUgraphNode node = add_shared(graph, shared, after);
	if (!node)
		release_work(shared);
	return node;
}

int graph_add_exec(CUgraph graph, CUgraphExec exec, struct node_list *tail)
{
	struct node_list leaves = {0};
	size_t first = graph->nodes.count;
	for (size_t i = 0; i < exec->count; i++) {
		const struct exec_node *node = &exec->nodes[i];
		struct node_list after = {0};
		for (size_t j = 0; j < node->after_count; j++)
			node_list_merge(
				&after, &(struct node_list){
						&graph->nodes.nodes[first + node->after[j]], 1});
		__atomic_add_fetch(&node->work->owners, 1, __ATOMIC_ACQ_REL);
		CUgraphNode added = add_shared(graph, node->work, after.count ? &after : tail);
		free(after.nodes);
		if (!added) {
			release_work(node->work);
			free(leaves.nodes);
			return cudaErrorMemoryAllocation;
		}
		if (node->is_leaf)
			node_list_merge(&leaves, &(struct node_list){&added, 1});
	}
	if (leaves.count) {
		free(tail->nodes);
		*tail = leaves;
	}
	return 0;
}

static int copy_node(
	struct exec_node *target, const struct CUgraphNode_st *node, struct exec_node *nodes)
{
	target->after = malloc((node->after.count + 1) * sizeof(*target->after));
	if (!target->after)
		return -1;
	for (size_t i = 0; i < node->after.count; i++) {
		target->after[i] = node->after.nodes[i]->number - 1;
		nodes[target->after[i]].is_leaf = 0;
	}
	target->after_count = node->after.count;
	target->is_leaf = 1;
	target->work = node->work;
	__atomic_add_fetch(&node->work->owners, 1, __ATOMIC_ACQ_REL);
	return 0;
}

static void free_nodes(struct exec_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		release_work(nodes[i].work);
		free(nodes[i].after);
	}
	free(nodes);
}

static struct exec_node *copy_nodes(CUgraph graph)
{
	size_t count = graph->nodes.count;
	struct exec_node *nodes = calloc(count + 1, sizeof(*nodes));
	for (size_t i = 0; nodes && i < count; i++) {
		if (copy_node(&nodes[i], graph->nodes.nodes[i], nodes)) {
			free_nodes(nodes, i);
			return NULL;
		}
	}
	return nodes;
}

CUgraphExec exec_create(CUgraph graph, unsigned long long flags)
{
	CUgraphExec exec = calloc(1, sizeof(*exec));
	struct exec_node *nodes = copy_nodes(graph);
	if (!exec || !nodes) {
		free(exec);
		if (nodes)
			free_nodes(nodes, graph->nodes.count);
		return NULL;
	}
	*exec = (struct CUgraphExec_st){.magic = EXEC_MAGIC,
		.id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED),
		.graph_id = graph->id,
		.flags = flags,
		.nodes = nodes,
		.count = graph->nodes.count};
	return exec;
}

void exec_destroy(CUgraphExec exec)
{
	exec->magic = 0;
	free_nodes(exec->nodes, exec->count);
	free(exec);
}

int exec_update(CUgraphExec exec, CUgraph graph)
{
	if (exec->count != graph->nodes.count)
		return cudaErrorGraphExecUpdateFailure;
	for (size_t i = 0; i < exec->count; i++) {
		if (exec->nodes[i].work->work->type != graph->nodes.nodes[i]->work->work->type)
			return cudaErrorGraphExecUpdateFailure;
	}
	struct exec_node *nodes = copy_nodes(graph);
	if (!nodes)
		return cudaErrorMemoryAllocation;
	free_nodes(exec->nodes, exec->count);
	exec->nodes = nodes;
	return 0;
}

int exec_replace(CUgraphExec exec, size_t number, CUgraph other)
{
	size_t count = other->nodes.count;
	if (number > exec->count || number < count)
		return cudaErrorInvalidValue;
	struct exec_node *nodes = &exec->nodes[number - count];
	for (size_t i = 0; i < count; i++) {
		if (nodes[i].work->work->type != other->nodes.nodes[i]->work->work->type)
			return cudaErrorGraphExecUpdateFailure;
	}
	for (size_t i = 0; i < count; i++) {
		struct graph_work *work = other->nodes.nodes[i]->work;
		__atomic_add_fetch(&work->owners, 1, __ATOMIC_ACQ_REL);
		release_work(nodes[i].work);
		nodes[i].work = work;
	}
	return 0;
}
