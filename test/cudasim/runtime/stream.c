/* SPDX-License-Identifier: MIT */
#include "runtime.h"

/* What differs from the driver by more than a name; CUDA 12 keeps older forms beside new ones. */

int rt_cudaStreamCreate(struct sim_call *call, CUstream *ret_stream)
{
	(void)call;
	return driver.cuStreamCreate(ret_stream, 0);
}

int rt_cudaEventCreate(struct sim_call *call, CUevent *ret_event)
{
	(void)call;
	return driver.cuEventCreate(ret_event, 0);
}

int rt_cudaStreamAttachMemAsync(
	struct sim_call *call, CUstream stream, void *address, size_t bytes, unsigned flags)
{
	return driver.cuStreamAttachMemAsync[call->per_thread](
		stream, (uintptr_t)address, bytes, flags);
}

#if CUDART_MAJOR == 12
int rt_cudaStreamGetCaptureInfo(
	struct sim_call *call, CUstream stream, int *ret_status, uint64_t *ret_id)
{
	return driver.cuStreamGetCaptureInfo[call->per_thread](
		stream, ret_status, ret_id, NULL, NULL, NULL, NULL);
}

int rt_cudaStreamGetCaptureInfo_v2(struct sim_call *call, CUstream stream, int *ret_status,
	uint64_t *ret_id, CUgraph *ret_graph, const CUgraphNode **ret_after, size_t *ret_count)
{
	return driver.cuStreamGetCaptureInfo[call->per_thread](
		stream, ret_status, ret_id, ret_graph, ret_after, NULL, ret_count);
}

int rt_cudaStreamUpdateCaptureDependencies(
	struct sim_call *call, CUstream stream, CUgraphNode *after, size_t count, unsigned flags)
{
	return driver.cuStreamUpdateCaptureDependencies[call->per_thread](
		stream, after, NULL, count, flags);
}

int rt_cudaGraphGetEdges(
	struct sim_call *call, CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	(void)call;
	return driver.cuGraphGetEdges(graph, from, to, NULL, count);
}

int rt_cudaGraphNodeGetDependencies(
	struct sim_call *call, CUgraphNode node, CUgraphNode *after, size_t *count)
{
	(void)call;
	return driver.cuGraphNodeGetDependencies(node, after, NULL, count);
}
#endif
