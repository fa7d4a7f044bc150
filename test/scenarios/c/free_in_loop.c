/* SPDX-License-Identifier: MIT */
/*
 * Scratch memory is allocated and freed in each step, and cudaFree waits for the device.
 *
 * truth: class=cpu cause=idle_sync|idle_alloc rule=alloc-churn steps=80
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=400us
 */
#include "stamps.h"

KERNEL(project, "_Z7projectPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(reduce_rows, "_Z11reduce_rowsPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(project), KERNEL_ENTRY(reduce_rows))

PART static void solve(void *weights, int n) /* truth: here */
{
	void *scratch;
	MUST(cudaMalloc(&scratch, (size_t)n * 4));
	for (int i = 0; i < 5; i++) {
		LAUNCH(project, GRID, BLOCK, 0, NULL)(scratch, weights, n);
		LAUNCH(reduce_rows, GRID, BLOCK, 0, NULL)(weights, scratch, n);
	}
	MUST(cudaFree(scratch));
}

int main(void)
{
	void *weights;
	int n = 1 << 16;
	MUST(cudaMalloc(&weights, (size_t)n * 4));
	stamps_begin();
	for (int step = 0; step < 80; step++) {
		host_work(3000); /* the next problem is set up */
		solve(weights, n);
		stamps_step();
	}
	stamps_end();
	return 0;
}
