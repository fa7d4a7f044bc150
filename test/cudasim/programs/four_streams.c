/* SPDX-License-Identifier: MIT */
/*
 * A loop on four streams that wait for each other by events: a graph of kernels and a set on each,
 * copies both ways, and a wait at the end of a step.
 *
 *	four_streams [STEPS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

#define STREAMS 4
#define BYTES   65536u
#define STEPS   40
#define GRID    DIM3(16, 1, 1)
#define BLOCK   DIM3(256, 1, 1)

KERNEL(forward, "_Z7forwardPKfPfi", (const void *x, void *y, int n), &x, &y, &n)
KERNEL(update, "_Z6updatePfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(forward), KERNEL_ENTRY(update))

#define MUST(call)                                                                                 \
	do {                                                                                       \
		int error_ = (call);                                                               \
		if (error_) {                                                                      \
			fprintf(stderr, "four_streams: %s: %s\n", #call,                           \
				cudaGetErrorString(error_));                                       \
			exit(4);                                                                   \
		}                                                                                  \
	} while (0)

static struct {
	CUstream stream;
	CUevent done;
	CUgraphExec graph;
	char *data;
} parts[STREAMS];
static char *host;

static void prepare(int i)
{
	CUgraph graph;
	MUST(cudaStreamCreate(&parts[i].stream));
	MUST(cudaEventCreate(&parts[i].done));
	MUST(cudaMalloc((void **)&parts[i].data, BYTES));
	MUST(cudaStreamBeginCapture(parts[i].stream, 0));
	LAUNCH(forward, GRID, BLOCK, 0, parts[i].stream)(parts[i].data, parts[i].data, 1);
	MUST(cudaMemsetAsync(parts[i].data, 0, BYTES, parts[i].stream));
	LAUNCH(forward, GRID, BLOCK, 0, parts[i].stream)(parts[i].data, parts[i].data, 2);
	MUST(cudaStreamEndCapture(parts[i].stream, &graph));
	MUST(cudaGraphInstantiateWithFlags(&parts[i].graph, graph, 0));
}

static void step(void)
{
	for (int i = 0; i < STREAMS; i++) {
		MUST(cudaMemcpyAsync(parts[i].data, host, BYTES, CUDA_H2D, parts[i].stream));
		MUST(cudaGraphLaunch(parts[i].graph, parts[i].stream));
		LAUNCH(update, GRID, BLOCK, 0, parts[i].stream)(parts[i].data, parts[i].data, 3);
		MUST(cudaEventRecord(parts[i].done, parts[i].stream));
		if (i > 0)
			MUST(cudaStreamWaitEvent(parts[0].stream, parts[i].done, 0));
	}
	MUST(cudaMemcpyAsync(host, parts[0].data, 64, CUDA_D2H, parts[0].stream));
	MUST(cudaStreamSynchronize(parts[0].stream));
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? strtol(argv[1], NULL, 10) : STEPS;
	(void)setenv("CUDASIM_KERNELS", "*=80us", 0);
	MUST(cudaHostAlloc((void **)&host, BYTES, 0));
	for (int i = 0; i < STREAMS; i++)
		prepare(i);
	for (long i = 0; i < steps; i++)
		step();
	MUST(cudaDeviceSynchronize());
	return 0;
}
