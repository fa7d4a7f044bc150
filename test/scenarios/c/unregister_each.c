/* SPDX-License-Identifier: MIT */
/*
 * Memory of each image is page-locked for the copy and let go again; cudaHostUnregister waits
 * for the device.
 *
 * truth: class=cpu cause=idle_sync|idle_alloc rule=alloc-churn steps=60
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=800us
 */
#include <stdlib.h>
#include <string.h>

#include "stamps.h"

KERNEL(filter, "_Z6filterPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(filter))

PART static void process(void *image, char *decoded, int n) /* truth: here */
{
	MUST(cudaHostRegister(decoded, (size_t)n, 0));
	MUST(cudaMemcpyAsync(image, decoded, (size_t)n, CUDA_H2D, NULL));
	for (int i = 0; i < 8; i++)
		LAUNCH(filter, GRID, BLOCK, 0, NULL)(image, image, n / 4);
	MUST(cudaHostUnregister(decoded));
}

int main(void)
{
	void *image;
	int n = 1 << 16;
	char *decoded = malloc((size_t)n);
	if (decoded == NULL)
		return 4;
	MUST(cudaMalloc(&image, (size_t)n));
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		memset(decoded, step, (size_t)n);
		process(image, decoded, n);
		host_work(4000); /* the next image is decoded */
		stamps_step();
	}
	stamps_end();
	free(decoded);
	return 0;
}
