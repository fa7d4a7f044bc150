/* SPDX-License-Identifier: MIT */
#include "../core/capture.h"
#include "driver.h"

/* Older and newer forms of one function, where they do the same with other parameters. */

int sim_cuCtxCreate(struct sim_call *call, CUcontext *ret_context, unsigned flags, CUdevice device)
{
	return sim_cuCtxCreate_v2(call, ret_context, flags, device);
}

int sim_cuCtxCreate_v3(struct sim_call *call, CUcontext *ret_context, void *affinities, int count,
	unsigned flags, CUdevice device)
{
	if (affinities || count)
		return cudaErrorNotSupported;
	return sim_cuCtxCreate_v2(call, ret_context, flags, device);
}

int sim_cuCtxDestroy(struct sim_call *call, CUcontext context)
{
	return sim_cuCtxDestroy_v2(call, context);
}

int sim_cuCtxPushCurrent(struct sim_call *call, CUcontext context)
{
	return sim_cuCtxPushCurrent_v2(call, context);
}

int sim_cuCtxPopCurrent(struct sim_call *call, CUcontext *ret_context)
{
	return sim_cuCtxPopCurrent_v2(call, ret_context);
}

int sim_cuDevicePrimaryCtxRelease(struct sim_call *call, CUdevice device)
{
	return sim_cuDevicePrimaryCtxRelease_v2(call, device);
}

int sim_cuDevicePrimaryCtxReset(struct sim_call *call, CUdevice device)
{
	return sim_cuDevicePrimaryCtxReset_v2(call, device);
}

int sim_cuStreamDestroy(struct sim_call *call, CUstream stream)
{
	return sim_cuStreamDestroy_v2(call, stream);
}

int sim_cuEventDestroy(struct sim_call *call, CUevent event)
{
	return sim_cuEventDestroy_v2(call, event);
}

int sim_cuStreamBeginCapture(struct sim_call *call, CUstream stream)
{
	return sim_cuStreamBeginCapture_v2(call, stream, CUDA_CAPTURE_GLOBAL);
}

int sim_cuMemPrefetchAsync_v2(struct sim_call *call, CUdeviceptr address, size_t bytes,
	struct cuda_location location, unsigned flags, CUstream stream)
{
	if (flags)
		return cudaErrorInvalidValue;
	return sim_cuMemPrefetchAsync(call, address, bytes, location.id, stream);
}

int sim_cuMemAdvise_v2(struct sim_call *call, CUdeviceptr address, size_t bytes, int advice,
	struct cuda_location location)
{
	return sim_cuMemAdvise(call, address, bytes, advice, location.id);
}

int sim_cuGraphInstantiate_v2(struct sim_call *call, CUgraphExec *ret_exec, CUgraph graph,
	CUgraphNode *ret_node, char *log, size_t log_bytes)
{
	if (ret_node)
		*ret_node = NULL;
	if (log && log_bytes)
		*log = 0;
	return sim_cuGraphInstantiateWithFlags(call, ret_exec, graph, 0);
}

int sim_cuGraphInstantiate(struct sim_call *call, CUgraphExec *ret_exec, CUgraph graph,
	CUgraphNode *ret_node, char *log, size_t log_bytes)
{
	return sim_cuGraphInstantiate_v2(call, ret_exec, graph, ret_node, log, log_bytes);
}

int sim_cuGraphInstantiateWithParams(struct sim_call *call, CUgraphExec *ret_exec, CUgraph graph,
	struct cu_instantiate *parameters)
{
	if (!parameters)
		return cudaErrorInvalidValue;
	int result = sim_cuGraphInstantiateWithFlags(call, ret_exec, graph, parameters->flags);
	parameters->error_node = NULL;
	parameters->outcome = result ? 1 : 0;
	return result;
}

int sim_cuGraphExecUpdate(struct sim_call *call, CUgraphExec exec, CUgraph graph,
	CUgraphNode *ret_node, int *ret_outcome)
{
	int result = sim_cuGraphExecUpdate_v2(call, exec, graph, NULL);
	if (ret_node)
		*ret_node = NULL;
	if (ret_outcome)
		*ret_outcome = result ? 1 : 0;
	return result;
}
