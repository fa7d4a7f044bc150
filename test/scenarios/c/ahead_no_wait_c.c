/* SPDX-License-Identifier: MIT */
/*
 * The host asks for everything at once and waits at the very end.
 *
 * truth: class=gpu cause=device_compute steps=40 ahead=yes
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=900us
 */
#include "stamps.h"

KERNEL(forward, "_Z7forwardPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(backward, "_Z8backwardPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(update, "_Z6updatePfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(forward), KERNEL_ENTRY(backward), KERNEL_ENTRY(update))

int main(void)
{
	void *weights, *gradients;
	int n = 1 << 16;
	MUST(cudaMalloc(&weights, (size_t)n * 4));
	MUST(cudaMalloc(&gradients, (size_t)n * 4));
	stamps_begin();
	for (int step = 0; step < 40; step++) {
		for (int i = 0; i < 4; i++)
			LAUNCH(forward, GRID, BLOCK, 0, NULL)(gradients, weights, n);
		for (int i = 0; i < 4; i++)
			LAUNCH(backward, GRID, BLOCK, 0, NULL)(gradients, weights, n);
		LAUNCH(update, GRID, BLOCK, 0, NULL)(weights, gradients, n);
		host_work(300);
		stamps_step();
	}
	stamps_end();
	return 0;
}
