/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "activity.h"

#define BYTES (1 << 20)

KERNEL(fast, "_Z4fastv", (void), NULL)
KERNEL(slow, "_Z4slowv", (void), NULL)
KERNELS(NULL, KERNEL_ENTRY(fast), KERNEL_ENTRY(slow))

uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_ms(unsigned ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000 * MS)};
	nanosleep(&pause, NULL);
}

void launch(const char *name, CUstream stream)
{
	if (strcmp(name, "slow") == 0)
		LAUNCH(slow, DIM3(3, 2, 1), DIM3(64, 2, 1), 128, stream)();
	else
		LAUNCH(fast, DIM3(5, 1, 1), DIM3(32, 1, 1), 0, stream)();
	CHECK_OK(cudaGetLastError());
}

void run_graph(CUstream stream, void *device, size_t bytes)
{
	CUgraph graph;
	CUgraphExec exec;
	CHECK_OK(cudaStreamBeginCapture(stream, 0));
	launch("fast", stream);
	CHECK_OK(cudaMemsetAsync(device, 3, bytes, stream));
	CHECK_OK(cudaStreamEndCapture(stream, &graph));
	CHECK_OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK_OK(cudaGraphLaunch(exec, stream));
	CHECK_OK(cudaGraphLaunch(exec, stream));
}

void run_work(void)
{
	void *device, *pinned, *pageable = calloc(1, BYTES);
	CUstream stream;
	CUevent event;
	CHECK_OK(cudaMalloc(&device, BYTES));
	CHECK_OK(cudaHostAlloc(&pinned, BYTES, 0));
	CHECK_OK(cudaStreamCreate(&stream));
	CHECK_OK(cudaEventCreate(&event));
	CHECK_OK(cudaMemcpyAsync(device, pinned, BYTES, CUDA_H2D, stream));
	for (int i = 0; i < 4; i++) {
		launch("fast", stream);
		launch("slow", NULL);
	}
	CHECK_OK(cudaMemsetAsync(device, 7, BYTES / 4, stream));
	CHECK_OK(cudaEventRecord(event, stream));
	CHECK_OK(cudaStreamWaitEvent(NULL, event, 0));
	CHECK_OK(cudaEventSynchronize(event));
	run_graph(stream, device, BYTES / 2);
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK_OK(cudaMemcpy(pageable, device, BYTES / 2, CUDA_D2H));
	CHECK_OK(cudaDeviceSynchronize());
	free(pageable);
}
