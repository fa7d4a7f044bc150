/* SPDX-License-Identifier: MIT */
/*
 * A graph is launched, and behind it a function of the host that posts a semaphore; the loop waits
 * for that, by no call of CUDA, and then works itself while the device is idle.
 *
 * truth: class=cpu cause=idle_sync|idle_blocked|idle_host steps=60
 * truth: rule=host-blocked|sync-explicit|sync-polling|host-native|host-python
 * truth: never=launch-bound|input-bound|alloc-churn
 * cudasim: CUDASIM_KERNELS=*=800us
 */
#include <semaphore.h>

#include "stamps.h"

KERNEL(relax, "_Z5relaxPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(residual, "_Z8residualPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(relax), KERNEL_ENTRY(residual))

static sem_t finished;

static void notify(void *semaphore)
{
	sem_post(semaphore);
}

PART static void wait_for_graph(void) /* truth: or here */
{
	while (sem_wait(&finished))
		continue;
}

PART static void next_parameters(float *parameters) /* truth: or here */
{
	stamps_mark();
	host_work(6000);
	parameters[0] += 1;
	stamps_spent("idle_host|idle_sync|idle_blocked");
}

static CUgraphExec record(CUstream stream, void *field, void *next, void *sums)
{
	CUgraph graph;
	CUgraphExec exec;
	MUST(cudaStreamBeginCapture(stream, CUDA_CAPTURE_GLOBAL));
	for (int i = 0; i < 5; i++) {
		LAUNCH(relax, GRID, BLOCK, 0, stream)(next, field, 64);
		LAUNCH(relax, GRID, BLOCK, 0, stream)(field, next, 64);
	}
	LAUNCH(residual, GRID, BLOCK, 0, stream)(sums, field, 64);
	MUST(cudaStreamEndCapture(stream, &graph));
	MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	MUST(cudaGraphDestroy(graph));
	return exec;
}

int main(void)
{
	void *field, *next, *sums;
	float *parameters;
	CUstream stream;
	MUST(cudaMalloc(&field, 1 << 16));
	MUST(cudaMalloc(&next, 1 << 16));
	MUST(cudaMalloc(&sums, 1 << 16));
	MUST(cudaMallocHost((void **)&parameters, 4096));
	MUST(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	if (sem_init(&finished, 0, 0))
		return 4;
	CUgraphExec exec = record(stream, field, next, sums);
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		MUST(cudaMemcpyAsync(field, parameters, 4096, CUDA_H2D, stream));
		MUST(cudaGraphLaunch(exec, stream));
		MUST(cudaLaunchHostFunc(stream, notify, &finished));
		wait_for_graph();
		next_parameters(parameters);
		stamps_step();
	}
	stamps_end();
	return 0;
}
