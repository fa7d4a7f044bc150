/* SPDX-License-Identifier: MIT */
#include "../core/capture.h"

#include "../core/state.h"
#include "driver.h"

int sim_cuStreamBeginCapture_v2(struct sim_call *call, CUstream handle, int mode)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	return capture_begin(stream, mode, NULL, &(struct node_list){0});
}

int sim_cuStreamBeginCaptureToGraph(struct sim_call *call, CUstream handle, CUgraph graph,
	const CUgraphNode *after, const struct cuda_edge_data *edges, size_t count, int mode)
{
	CUstream stream = stream_of_call(call, handle);
	(void)edges;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!graph_is_valid(graph) || (count && !after))
		return cudaErrorInvalidValue;
	struct node_list list = {(CUgraphNode *)(uintptr_t)after, count};
	return capture_begin(stream, mode, graph, &list);
}

int sim_cuStreamEndCapture(struct sim_call *call, CUstream handle, CUgraph *ret_graph)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!ret_graph)
		return cudaErrorInvalidValue;
	*ret_graph = NULL;
	int result = capture_end(stream, ret_graph);
	if (result == 0) {
		call->detail.set |= SIM_SET_GRAPH;
		call->detail.graph = (*ret_graph)->id;
	}
	return result;
}

int sim_cuStreamIsCapturing(struct sim_call *call, CUstream handle, int *ret_status)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!ret_status)
		return cudaErrorInvalidValue;
	*ret_status = stream->capture ? stream->capture->status : CUDA_CAPTURE_NONE;
	return stream->capture ? 0 : capture_check_legacy(stream);
}

int sim_cuStreamGetCaptureInfo_v3(struct sim_call *call, CUstream handle, int *ret_status,
	uint64_t *ret_id, CUgraph *ret_graph, const CUgraphNode **ret_after,
	const struct cuda_edge_data **ret_edges, size_t *ret_count)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!ret_status)
		return cudaErrorInvalidValue;
	const struct capture *capture = stream->capture;
	*ret_status = capture ? capture->status : CUDA_CAPTURE_NONE;
	if (!capture)
		return capture_check_legacy(stream);
	if (capture->status == CUDA_CAPTURE_INVALIDATED)
		return 0;
	if (ret_id)
		*ret_id = capture->id;
	if (ret_graph)
		*ret_graph = capture->graph;
	if (ret_after)
		*ret_after = stream->tail.nodes;
	if (ret_edges)
		*ret_edges = NULL;
	if (ret_count)
		*ret_count = stream->tail.count;
	return 0;
}

int sim_cuStreamGetCaptureInfo_v2(struct sim_call *call, CUstream stream, int *ret_status,
	uint64_t *ret_id, CUgraph *ret_graph, const CUgraphNode **ret_after, size_t *ret_count)
{
	return sim_cuStreamGetCaptureInfo_v3(
		call, stream, ret_status, ret_id, ret_graph, ret_after, NULL, ret_count);
}

int sim_cuStreamGetCaptureInfo(
	struct sim_call *call, CUstream stream, int *ret_status, uint64_t *ret_id)
{
	return sim_cuStreamGetCaptureInfo_v3(
		call, stream, ret_status, ret_id, NULL, NULL, NULL, NULL);
}

enum {
	DEPENDENCIES_ADD = 0,
	DEPENDENCIES_SET = 1
};

int sim_cuStreamUpdateCaptureDependencies_v2(struct sim_call *call, CUstream handle,
	CUgraphNode *after, const struct cuda_edge_data *edges, size_t count, unsigned flags)
{
	CUstream stream = stream_of_call(call, handle);
	struct node_list list = {after, count};
	(void)edges;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!stream->capture)
		return cudaErrorIllegalState;
	if (flags > DEPENDENCIES_SET || (count && !after))
		return cudaErrorInvalidValue;
	return flags == DEPENDENCIES_SET ? node_list_set(&stream->tail, &list)
					 : node_list_merge(&stream->tail, &list);
}

int sim_cuStreamUpdateCaptureDependencies(
	struct sim_call *call, CUstream stream, CUgraphNode *after, size_t count, unsigned flags)
{
	return sim_cuStreamUpdateCaptureDependencies_v2(call, stream, after, NULL, count, flags);
}

int sim_cuThreadExchangeStreamCaptureMode(struct sim_call *call, int *mode)
{
	(void)call;
	if (!mode || *mode < CUDA_CAPTURE_GLOBAL || *mode > CUDA_CAPTURE_RELAXED)
		return cudaErrorInvalidValue;
	*mode = capture_exchange_mode(*mode);
	return 0;
}
