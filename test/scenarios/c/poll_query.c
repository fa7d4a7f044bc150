/* SPDX-License-Identifier: MIT */
/*
 * The host asks again and again whether the device is done, and only then prepares what comes next.
 *
 * truth: class=cpu cause=idle_sync|idle_host rule=sync-explicit|sync-polling steps=60
 * truth: never=launch-bound|input-bound
 * cudasim: CUDASIM_KERNELS=*=1ms
 */
#include <unistd.h>

#include "stamps.h"

KERNEL(solve, "_Z5solvePfi", (void *y, int n), &y, &n)
KERNEL(correct, "_Z7correctPfi", (void *y, int n), &y, &n)
KERNELS(NULL, KERNEL_ENTRY(solve), KERNEL_ENTRY(correct))

PART static void wait_until_done(CUstream stream) /* truth: here */
{
	while (cudaStreamQuery(stream))
		usleep(50);
}

int main(void)
{
	void *state;
	CUstream stream;
	MUST(cudaMalloc(&state, 1 << 16));
	MUST(cudaStreamCreate(&stream));
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		for (int i = 0; i < 6; i++)
			LAUNCH(solve, GRID, BLOCK, 0, stream)(state, 64);
		LAUNCH(correct, GRID, BLOCK, 0, stream)(state, 64);
		wait_until_done(stream);
		host_work(5000); /* the right-hand side is made */
		stamps_step();
	}
	stamps_end();
	return 0;
}
