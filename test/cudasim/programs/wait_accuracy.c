/* SPDX-License-Identifier: MIT */
/*
 * How late waits end: median, 90th percentile and worst time between the modelled end of a kernel
 * and the return of the call that waits for it. Exits with 1 if the median is above 100 us in
 * each of five rounds: on a busy machine one round can be spoilt by others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel.h"

#define ROUNDS    5
#define WAITS     200
#define KERNEL_NS 2000000u
#define LIMIT_US  100.0

KERNEL(step, "_Z4stepv", (int unused), &unused)
KERNELS(NULL, KERNEL_ENTRY(step))

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Fills late_us, sorted. Returns 0, or the error of a call. */
static int measure(double late_us[WAITS])
{
	for (int i = 0; i < WAITS; i++) {
		/* The kernel begins while it is launched, so this is at most the lateness. */
		uint64_t begin = now_ns();
		LAUNCH(step, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(0);
		int error = cudaStreamSynchronize(NULL);
		if (error)
			return error;
		late_us[i] = ((double)(now_ns() - begin) - KERNEL_NS) / 1e3;
	}
	qsort(late_us, WAITS, sizeof(late_us[0]), compare);
	return 0;
}

int main(void)
{
	static double late_us[WAITS];
	int failed = 1;
	setenv("CUDASIM_KERNELS", "*=2ms", 1);
	setenv("CUDASIM_LAUNCH", "0", 1);
	LAUNCH(step, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(0); /* loads what is loaded once */
	if (cudaDeviceSynchronize())
		return 4;
	for (int round = 0; failed && round < ROUNDS; round++) {
		if (measure(late_us))
			return 4;
		failed = late_us[WAITS / 2] > LIMIT_US || late_us[0] < 0;
	}
	printf("waits end late by (us): median %.1f, 90%% %.1f, worst %.1f; median at most %.0f\n",
		late_us[WAITS / 2], late_us[WAITS * 9 / 10], late_us[WAITS - 1], LIMIT_US);
	printf("wait_accuracy: %d passed, %d failed\n", !failed, failed);
	return failed;
}
