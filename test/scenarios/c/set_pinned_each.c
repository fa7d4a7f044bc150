/* SPDX-License-Identifier: MIT */
/*
 * A page-locked buffer of results is cleared with cudaMemset() in each step, which the device does,
 * after all that it was given before, while the host waits.
 *
 * truth: class=cpu cause=idle_sync rule=sync-explicit steps=80
 * truth: never=launch-bound|input-bound|alloc-churn
 * cudasim: CUDASIM_KERNELS=*=400us
 */
#include "stamps.h"

KERNEL(project, "_Z7projectPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(reduce_rows, "_Z11reduce_rowsPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(project), KERNEL_ENTRY(reduce_rows))

PART static void clear(void *results, int n) /* truth: here */
{
	MUST(cudaMemset(results, 0, (size_t)n));
}

int main(void)
{
	void *weights, *x, *results;
	int n = 1 << 14;
	MUST(cudaMalloc(&weights, (size_t)n * 4));
	MUST(cudaMalloc(&x, (size_t)n * 4));
	MUST(cudaMallocHost(&results, (size_t)n));
	stamps_begin();
	for (int step = 0; step < 80; step++) {
		host_work(3000); /* the next problem is set up */
		for (int i = 0; i < 5; i++) {
			LAUNCH(project, GRID, BLOCK, 0, NULL)(x, weights, n);
			LAUNCH(reduce_rows, GRID, BLOCK, 0, NULL)(weights, x, n);
		}
		clear(results, n);
		stamps_step();
	}
	stamps_end();
	return 0;
}
