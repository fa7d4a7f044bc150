/* SPDX-License-Identifier: MIT */
/*
 * Graphs: pieces of work with their order, made by capture or node by node, and the executable
 * copies that are launched.
 *
 * Nodes are numbered from 1 in the order in which they were added; a node comes after all it
 * depends on, so this order is also one in which the nodes can be carried out. A work is shared
 * between a graph and what was instantiated from it, and freed with the last of them. Functions
 * expect no lock unless they say so; one graph is not used by two threads at once (CUDA's rule).
 */
#ifndef CUDASIM_CORE_GRAPH_H
#define CUDASIM_CORE_GRAPH_H

#include "work.h"

/* A work with the count of its owners. */
struct graph_work {
	unsigned owners;
	struct work *work;
};

struct CUgraphNode_st {
	uint64_t magic;
	CUgraph graph;
	size_t number;
	struct graph_work *work;
	struct node_list after; /* what it depends on */
	int reached;            /* mark used by a search */
	size_t children;        /* stands for a child graph: the nodes before it are its */
};

struct CUgraph_st {
	uint64_t magic;
	uint64_t id;
	struct node_list nodes;
	size_t capacity;
};

struct exec_node {
	struct graph_work *work;
	size_t *after; /* indices of earlier nodes */
	size_t after_count;
	int is_leaf;
};

struct CUgraphExec_st {
	uint64_t magic;
	uint64_t id;
	uint64_t graph_id;
	unsigned long long flags;
	struct exec_node *nodes;
	size_t count;
};

CUgraph graph_create(void);
void graph_destroy(CUgraph graph);
int graph_is_valid(CUgraph graph);
int graph_node_is_valid(CUgraphNode node);

/* Adds a node that owns work, even on failure (NULL). after is copied. */
CUgraphNode graph_add(CUgraph graph, struct work *work, const struct node_list *after);

/* Adds all nodes of exec; those without a predecessor follow *tail, which becomes the leaves. */
int graph_add_exec(CUgraph graph, CUgraphExec exec, struct node_list *tail);

/* Replaces *list by a copy of other; 0, or cudaErrorMemoryAllocation. */
int node_list_set(struct node_list *list, const struct node_list *other);
/* Adds those that are not yet in it. */
int node_list_merge(struct node_list *list, const struct node_list *other);

CUgraphExec exec_create(CUgraph graph, unsigned long long flags);
void exec_destroy(CUgraphExec exec);
int exec_is_valid(CUgraphExec exec);

/* Replaces the nodes of exec by those of graph. 0, or an error when their kinds differ. */
int exec_update(CUgraphExec exec, CUgraph graph);

/*
 * The node of that number, and those before it where it stands for a child graph, does what the
 * other graph's nodes do. 0, or an error when their kinds differ.
 */
int exec_replace(CUgraphExec exec, size_t number, CUgraph other);

/* Carries out the graph on the stream, or adds it to the graph that the stream captures. */
int exec_launch(struct sim_call *call, CUgraphExec exec, CUstream stream);

#endif
