/* SPDX-License-Identifier: MIT */
/*
 * A pinned buffer is made and given back in each step; cudaFreeHost waits for the device.
 *
 * truth: class=cpu cause=idle_sync|idle_alloc rule=alloc-churn steps=60
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=800us
 */
#include <string.h>

#include "stamps.h"

KERNEL(filter, "_Z6filterPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(filter))

PART static void process(void *image, int n, int step) /* truth: here */
{
	char *staging;
	MUST(cudaMallocHost((void **)&staging, (size_t)n));
	memset(staging, step, (size_t)n);
	MUST(cudaMemcpyAsync(image, staging, (size_t)n, CUDA_H2D, NULL));
	for (int i = 0; i < 8; i++)
		LAUNCH(filter, GRID, BLOCK, 0, NULL)(image, image, n / 4);
	MUST(cudaFreeHost(staging));
}

int main(void)
{
	void *image;
	int n = 1 << 16;
	MUST(cudaMalloc(&image, (size_t)n));
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		process(image, n, step);
		host_work(4000); /* the next image is decoded */
		stamps_step();
	}
	stamps_end();
	return 0;
}
