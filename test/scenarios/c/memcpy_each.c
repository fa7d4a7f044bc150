/* SPDX-License-Identifier: MIT */
/*
 * cudaMemcpy brings a result back in each step, and the host works on it while the device idles.
 *
 * truth: class=cpu cause=idle_sync|idle_host rule=sync-tensor-to-host|sync-scalar-read steps=60
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=1ms
 */
#include "stamps.h"

KERNEL(advance, "_Z7advancePfi", (void *y, int n), &y, &n)
KERNEL(residual, "_Z8residualPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(advance), KERNEL_ENTRY(residual))

PART static float error_of(void *norms, const void *field, int n) /* truth: here */
{
	float blocks[64];
	LAUNCH(residual, GRID, BLOCK, 0, NULL)(norms, field, n);
	MUST(cudaMemcpy(blocks, norms, sizeof(blocks), CUDA_D2H));
	return blocks[0];
}

int main(void)
{
	void *field, *norms;
	int n = 1 << 16;
	float error = 0;
	MUST(cudaMalloc(&field, (size_t)n * 4));
	MUST(cudaMalloc(&norms, 64 * 4));
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		for (int i = 0; i < 6; i++)
			LAUNCH(advance, GRID, BLOCK, 0, NULL)(field, n);
		error += error_of(norms, field, n);
		host_work(5000); /* the time step is chosen */
		stamps_step();
	}
	stamps_end();
	return error > 1e30f;
}
