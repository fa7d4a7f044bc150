/* SPDX-License-Identifier: MIT */
/*
 * A frame rate is kept by sleeping; no data is waited for.
 *
 * truth: class=cpu cause=idle_host|idle_blocked rule=host-blocked steps=60
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=300us
 */
#include <unistd.h>

#include "stamps.h"

KERNEL(render, "_Z6renderPfi", (void *y, int n), &y, &n)
KERNEL(blend, "_Z5blendPfi", (void *y, int n), &y, &n)
KERNELS(NULL, KERNEL_ENTRY(render), KERNEL_ENTRY(blend))

PART static void keep_rate(void) /* truth: here */
{
	stamps_mark();
	usleep(8000);
	stamps_spent("idle_host");
}

int main(void)
{
	void *frame;
	MUST(cudaMalloc(&frame, 1 << 16));
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		for (int i = 0; i < 5; i++)
			LAUNCH(render, GRID, BLOCK, 0, NULL)(frame, 64);
		LAUNCH(blend, GRID, BLOCK, 0, NULL)(frame, 64);
		keep_rate();
		stamps_step();
	}
	stamps_end();
	return 0;
}
