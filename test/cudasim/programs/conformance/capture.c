/* SPDX-License-Identifier: MIT */
#include "conformance.h"

static CUstream make(void)
{
	CUstream stream = NULL;
	CHECK_OK(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	return stream;
}

static int status_of(CUstream stream)
{
	int status = -1;
	CHECK_OK(cudaStreamIsCapturing(stream, &status));
	return status;
}

/* What is captured does not happen; each launch of the graph makes it happen once. */
static void check_replay(void)
{
	CUstream stream = make();
	CUgraph graph = NULL;
	CUgraphExec exec = NULL;
	size_t count = 0;
	float *x, *y, *host;
	CHECK_OK(cudaMalloc((void **)&x, 16));
	CHECK_OK(cudaMalloc((void **)&y, 16));
	CHECK_OK(cudaMallocHost((void **)&host, 16));
	host[0] = 1;
	CHECK_OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_GLOBAL));
	CHECK(status_of(stream) == CUDA_CAPTURE_ACTIVE);
	CHECK_OK(cudaMemcpyAsync(x, host, 16, CUDA_H2D, stream));
	launch_saxpy(2, x, y, 4, stream);
	launch_slow(stream);
	CHECK_OK(cudaMemcpyAsync(host, y, 16, CUDA_D2H, stream));
	CHECK_OK(cudaStreamEndCapture(stream, &graph));
	CHECK(status_of(stream) == CUDA_CAPTURE_NONE);
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK(y[0] == 0 && host[0] == 1);

	CHECK_OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 4);
	CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK_OK(cudaGraphDestroy(graph));
	uint64_t begin = now_ns();
	CHECK_OK(cudaGraphLaunch(exec, stream));
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK(has_waited(begin, SLOW_NS));
	CHECK(host[0] == 2); /* x = 1, y = 2 */
	CHECK_OK(cudaGraphLaunch(exec, stream));
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK(host[0] == 6); /* x = 2, y = 2 + 4 */
	CHECK_OK(cudaGraphExecDestroy(exec));
	CHECK_RESULT(cudaGraphLaunch(NULL, stream), cudaErrorInvalidValue);
}

/* A second stream joins by an event; the two kernels of the graph then run beside each other. */
static void check_fork_join(void)
{
	CUstream first = make(), second = make();
	CUevent forked, joined;
	CUgraph graph = NULL;
	CUgraphExec exec = NULL;
	CHECK_OK(cudaEventCreateWithFlags(&forked, CUDA_EVENT_DISABLE_TIMING));
	CHECK_OK(cudaEventCreateWithFlags(&joined, CUDA_EVENT_DISABLE_TIMING));
	CHECK_OK(cudaStreamBeginCapture(first, CUDA_CAPTURE_THREAD_LOCAL));
	CHECK_OK(cudaEventRecord(forked, first));
	CHECK_OK(cudaStreamWaitEvent(second, forked, 0));
	CHECK(status_of(second) == CUDA_CAPTURE_ACTIVE);
	launch_slow(first);
	launch_slow(second);
	CHECK_OK(cudaEventRecord(joined, second));
	CHECK_OK(cudaStreamWaitEvent(first, joined, 0));
	launch_mid(first);
	CHECK_RESULT(cudaEventQuery(joined), cudaErrorCapturedEvent);
	CHECK_OK(cudaStreamEndCapture(first, &graph));
	CHECK(status_of(second) == CUDA_CAPTURE_NONE);
	CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
	uint64_t begin = now_ns();
	CHECK_OK(cudaGraphLaunch(exec, first));
	CHECK_OK(cudaStreamSynchronize(first));
	CHECK(has_waited(begin, SLOW_NS + MID_NS));
	CHECK(!has_waited(begin, 2 * SLOW_NS));
	CHECK_OK(cudaGraphExecDestroy(exec));
	CHECK_OK(cudaGraphDestroy(graph));
}

/* A graph launched while another capture goes on becomes part of the graph being captured. */
static void check_nested(void)
{
	CUstream stream = make();
	CUgraph graph = NULL, outer = NULL;
	CUgraphExec exec = NULL;
	size_t count = 0;
	int type = -1;
	CUgraphNode nodes[8];
	CHECK_OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_RELAXED));
	launch_mid(stream);
	launch_mid(stream);
	CHECK_OK(cudaStreamEndCapture(stream, &graph));
	CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK_OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_RELAXED));
	CHECK_OK(cudaGraphLaunch(exec, stream));
	CHECK_OK(cudaMemsetAsync(NULL, 0, 0, stream));
	launch_mid(stream);
	CHECK_OK(cudaStreamEndCapture(stream, &outer));
	count = 8;
	CHECK_OK(cudaGraphGetNodes(outer, nodes, &count));
	CHECK(count == 3);
	CHECK_OK(cudaGraphNodeGetType(nodes[0], &type));
	CHECK(type == 0);
	CHECK_OK(cudaGraphDestroy(outer));
	CHECK_OK(cudaGraphDestroy(graph));
	CHECK_OK(cudaGraphExecDestroy(exec));
}

void group_capture(void)
{
	check_replay();
	check_fork_join();
	check_nested();
}

/* Begins a capture, does what must not be done in it, and checks that it is spoilt. */
static void expect_spoilt(CUstream stream, int mode, int (*forbidden)(CUstream), int error)
{
	CUgraph graph = (CUgraph)1;
	CHECK_OK(cudaStreamBeginCapture(stream, mode));
	CHECK_RESULT(forbidden(stream), error);
	CHECK(status_of(stream) == CUDA_CAPTURE_INVALIDATED);
	CHECK_RESULT(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
	CHECK(graph == NULL);
	CHECK(status_of(stream) == CUDA_CAPTURE_NONE);
}

static int synchronize(CUstream stream)
{
	return cudaStreamSynchronize(stream);
}

static int synchronize_all(CUstream stream)
{
	(void)stream;
	return cudaDeviceSynchronize();
}

static int allocate(CUstream stream)
{
	void *address;
	(void)stream;
	return cudaMalloc(&address, 64);
}

static int use_legacy(CUstream stream)
{
	(void)stream;
	return cudaMemsetAsync(NULL, 0, 0, NULL) ? 0 : cudaStreamQuery(NULL);
}

void group_capture_errors(void)
{
	CUstream stream = make(), blocking, other = make();
	CUgraph graph = NULL;
	CUevent event;
	int mode = CUDA_CAPTURE_RELAXED;
	void *address;
	CHECK_OK(cudaStreamCreate(&blocking));
	CHECK_OK(cudaEventCreateWithFlags(&event, CUDA_EVENT_DISABLE_TIMING));
	CHECK_RESULT(cudaStreamBeginCapture(NULL, CUDA_CAPTURE_GLOBAL),
		cudaErrorStreamCaptureUnsupported);
	CHECK_RESULT(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
	expect_spoilt(stream, CUDA_CAPTURE_RELAXED, synchronize, cudaErrorStreamCaptureUnsupported);
	expect_spoilt(
		stream, CUDA_CAPTURE_RELAXED, synchronize_all, cudaErrorStreamCaptureUnsupported);
	expect_spoilt(stream, CUDA_CAPTURE_GLOBAL, allocate, cudaErrorStreamCaptureUnsupported);
	expect_spoilt(blocking, CUDA_CAPTURE_RELAXED, use_legacy, cudaErrorStreamCaptureImplicit);

	/* The same call is allowed in relaxed mode, of the capture or of the thread. */
	CHECK_OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_RELAXED));
	CHECK_OK(cudaMalloc(&address, 64));
	CHECK_OK(cudaStreamEndCapture(stream, &graph));
	CHECK_OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_GLOBAL));
	CHECK_OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == CUDA_CAPTURE_GLOBAL);
	CHECK_OK(cudaMalloc(&address, 64));
	CHECK_OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK_OK(cudaStreamEndCapture(stream, &graph));

	/* A stream that joined must be joined back. */
	CHECK_OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_RELAXED));
	CHECK_OK(cudaEventRecord(event, stream));
	CHECK_OK(cudaStreamWaitEvent(other, event, 0));
	launch_mid(other);
	CHECK_RESULT(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
	CHECK(status_of(other) == CUDA_CAPTURE_NONE);
}
