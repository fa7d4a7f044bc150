/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "conformance.h"

/* Graphs that are made node by node, by the driver's functions, and addresses that are reserved. */

#define BYTES 64

static void *library;

static void *by_name(const char *name)
{
	void *symbol = dlsym(library, name);
	CHECK(symbol != NULL);
	return symbol;
}

#define CALL(name, params, args) (((int(*) params)(uintptr_t)by_name(name))args)

static CUgraphNode add(
	CUgraph graph, CUgraphNode after, const struct cu_node_parameters *parameters)
{
	CUgraphNode node = NULL;
	CHECK_OK(CALL("cuGraphAddNode_v2",
		(CUgraphNode *, CUgraph, const CUgraphNode *, const void *, size_t,
			const struct cu_node_parameters *),
		(&node, graph, &after, NULL, after != NULL, parameters)));
	CHECK(node != NULL);
	return node;
}

static struct cu_node_parameters set_to(CUdeviceptr target, unsigned value)
{
	struct cu_node_parameters parameters = {.type = 2};
	parameters.set = (struct cu_set_parameters){
		.target = target, .value = value, .element = 1, .width = BYTES, .height = 1};
	return parameters;
}

static struct cu_node_parameters copy_of(CUdeviceptr target, CUdeviceptr source)
{
	struct cu_node_parameters parameters = {.type = 1};
	parameters.copy.box = (struct cu_memcpy_3d){.source_type = CU_SIDE_DEVICE,
		.source_device = source,
		.target_type = CU_SIDE_DEVICE,
		.target_device = target,
		.width = BYTES,
		.height = 1,
		.depth = 1};
	return parameters;
}

static struct cu_node_parameters slow_kernel(void)
{
	static const char image[16] = "opaque";
	struct cu_node_parameters parameters = {.type = 0};
	CUlibrary module = NULL;
	CUkernel function = NULL;
	CHECK_OK(CALL("cuModuleLoadData", (CUlibrary *, const void *), (&module, image)));
	CHECK_OK(CALL("cuModuleGetFunction", (CUkernel *, CUlibrary, const char *),
		(&function, module, "slow")));
	parameters.kernel = (struct cu_kernel_parameters){
		.function = function, .grid = {1, 1, 1}, .block = {32, 1, 1}};
	return parameters;
}

/* Launches, and says what byte the target holds then. */
static int launched(CUgraphExec exec, const unsigned char *target)
{
	unsigned char value = 0;
	uint64_t begin = now_ns();
	CHECK_OK(CALL("cuGraphLaunch", (CUgraphExec, CUstream), (exec, NULL)));
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaStreamSynchronize(NULL));
	CHECK(has_waited(begin, SLOW_NS));
	CHECK_OK(cudaMemcpy(&value, target + BYTES - 1, 1, 2));
	return value;
}

static void check_nodes(unsigned char *source, unsigned char *target)
{
	CUdeviceptr from = (uintptr_t)source, to = (uintptr_t)target;
	CUgraph graph = NULL, child = NULL, other = NULL;
	CUgraphExec exec = NULL;
	int type = -1;
	CHECK_OK(cudaGraphCreate(&graph, 0));
	CHECK_OK(cudaGraphCreate(&child, 0));
	CHECK_OK(cudaGraphCreate(&other, 0));
	struct cu_node_parameters set = set_to(from, 5), copy = copy_of(to, from),
				  kernel = slow_kernel(), nested = {.type = 4};
	CUgraphNode first = add(graph, NULL, &set);
	CHECK_OK(cudaGraphNodeGetType(first, &type));
	CHECK(type == 2);
	add(child, add(child, NULL, &kernel), &copy);
	nested.child = child;
	CUgraphNode last = add(graph, first, &nested);
	CHECK_OK(cudaGraphNodeGetType(last, &type));
	CHECK(type == 4);
	CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(launched(exec, target) == 5);
	set = set_to(from, 9);
	CHECK_OK(CALL("cuGraphExecNodeSetParams",
		(CUgraphExec, CUgraphNode, const struct cu_node_parameters *),
		(exec, first, &set)));
	CHECK(launched(exec, target) == 9);
	copy = copy_of(to + BYTES, from);
	add(other, add(other, NULL, &kernel), &copy);
	CHECK_OK(CALL("cuGraphExecChildGraphNodeSetParams", (CUgraphExec, CUgraphNode, CUgraph),
		(exec, last, other)));
	CHECK(launched(exec, target + BYTES) == 9);
	/* another kind of node, and another number of them */
	CHECK_RESULT(CALL("cuGraphExecNodeSetParams",
			     (CUgraphExec, CUgraphNode, const struct cu_node_parameters *),
			     (exec, first, &copy)),
		cudaErrorGraphExecUpdateFailure);
	CHECK_RESULT(CALL("cuGraphExecChildGraphNodeSetParams", (CUgraphExec, CUgraphNode, CUgraph),
			     (exec, first, other)),
		cudaErrorInvalidValue);
	CHECK_OK(cudaGraphExecDestroy(exec));
}

static void check_reserved(size_t alignment)
{
	CUdeviceptr address = 0;
	CHECK_OK(CALL("cuMemAddressReserve", (CUdeviceptr *, size_t, size_t, CUdeviceptr, uint64_t),
		(&address, 2u << 20, alignment, 0, 0)));
	CHECK(address % (2u << 20) == 0 && (alignment == 0 || address % alignment == 0));
	CHECK_OK(CALL("cuMemAddressFree", (CUdeviceptr, size_t), (address, 2u << 20)));
}

void group_nodes(void)
{
	void *source = NULL, *target = NULL;
	CHECK_OK(cudaMalloc(&source, BYTES));
	CHECK_OK(cudaMalloc(&target, (size_t)2 * BYTES));
	library = dlopen("libcuda.so.1", RTLD_NOW);
	CHECK(library != NULL);
	if (!library)
		return;
	check_nodes(source, target);
	check_reserved(0);
	check_reserved(2u << 20);
	check_reserved(1u << 30);
}
