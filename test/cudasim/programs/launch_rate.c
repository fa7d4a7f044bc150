/* SPDX-License-Identifier: MIT */
/*
 * How many launches per second the device takes when they cost nothing (CUDASIM_LAUNCH=0): the
 * ceiling of what a test can drive through it. Exits with 1 below 300,000 per second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel.h"

#define ROUNDS   5
#define LAUNCHES 100000
#define LEAST    300000.0

KERNEL(step, "_Z4stepv", (int unused), &unused)
KERNELS(NULL, KERNEL_ENTRY(step))

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	double best = 0;
	setenv("CUDASIM_KERNELS", "*=0", 1);
	setenv("CUDASIM_LAUNCH", "0", 1);
	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_s();
		for (int i = 0; i < LAUNCHES; i++)
			LAUNCH(step, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(i);
		if (cudaDeviceSynchronize())
			return 4;
		double rate = LAUNCHES / (now_s() - begin);
		if (rate > best)
			best = rate;
	}
	int failed = best < LEAST;
	printf("launches per second: %.0f, at least %.0f wanted\n", best, LEAST);
	printf("launch_rate: %d passed, %d failed\n", !failed, failed);
	return failed;
}
