/* SPDX-License-Identifier: MIT */
/*
 * One thread trains and never waits; another runs a small kernel now and then and waits for it.
 *
 * truth: class=gpu cause=device_compute steps=60|unsure ahead=yes
 * truth: never=launch-bound|input-bound|sync-explicit
 * cudasim: CUDASIM_KERNELS=*probe*=50us;*=900us
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "stamps.h"

KERNEL(train, "_Z5trainPfi", (void *y, int n), &y, &n)
KERNEL(probe, "_Z5probePfi", (void *y, int n), &y, &n)
KERNELS(NULL, KERNEL_ENTRY(train), KERNEL_ENTRY(probe))

static atomic_int stopped;

static void *monitor(void *scratch)
{
	CUstream stream;
	MUST(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	while (!atomic_load(&stopped)) {
		LAUNCH(probe, GRID, BLOCK, 0, stream)(scratch, 64);
		MUST(cudaStreamSynchronize(stream));
		usleep(3000);
	}
	return NULL;
}

int main(void)
{
	void *weights, *scratch;
	pthread_t thread;
	CUstream stream;
	MUST(cudaMalloc(&weights, 1 << 16));
	MUST(cudaMalloc(&scratch, 1 << 16));
	MUST(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	if (pthread_create(&thread, NULL, monitor, scratch))
		return 4;
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		for (int i = 0; i < 8; i++)
			LAUNCH(train, GRID, BLOCK, 0, stream)(weights, 64);
		host_work(1000);
		stamps_step();
	}
	stamps_end();
	atomic_store(&stopped, 1);
	pthread_join(thread, NULL);
	return 0;
}
