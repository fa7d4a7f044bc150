/* SPDX-License-Identifier: MIT */
/*
 * Access to the other GPU's memory is switched on for each exchange and off again; both wait for
 * what this GPU was given.
 *
 * truth: class=cpu cause=idle_sync rule=setup-repeated steps=80
 * truth: never=launch-bound|input-bound|alloc-churn
 * cudasim: CUDASIM_KERNELS=*=400us CUDASIM_DEVICES=2
 */
#include "stamps.h"

KERNEL(project, "_Z7projectPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(reduce_rows, "_Z11reduce_rowsPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(project), KERNEL_ENTRY(reduce_rows))

PART static void exchange(void *weights, void *other, int n) /* truth: here */
{
	MUST(cudaDeviceEnablePeerAccess(1, 0));
	MUST(cudaMemcpyPeerAsync(other, 1, weights, 0, (size_t)n * 4, NULL));
	MUST(cudaDeviceDisablePeerAccess(1));
}

int main(void)
{
	void *weights, *other;
	int n = 1 << 16;
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc(&other, (size_t)n * 4));
	MUST(cudaSetDevice(0));
	MUST(cudaMalloc(&weights, (size_t)n * 4));
	stamps_begin();
	for (int step = 0; step < 80; step++) {
		host_work(3000); /* the next problem is set up */
		for (int i = 0; i < 5; i++) {
			LAUNCH(project, GRID, BLOCK, 0, NULL)(other, weights, n);
			LAUNCH(reduce_rows, GRID, BLOCK, 0, NULL)(weights, weights, n);
		}
		exchange(weights, other, n);
		stamps_step();
	}
	stamps_end();
	return 0;
}
