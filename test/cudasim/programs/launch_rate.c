/* SPDX-License-Identifier: MIT */
/*
 * How many launches per second the device takes when they cost nothing (CUDASIM_LAUNCH=0): the
 * ceiling of what a test can drive through it, without CUPTI and while it records kernels, copies
 * and runtime calls. Exits with 1 if either is below 300,000 per second.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.h"

#define NAME_(major) "libcupti.so." #major
#define NAME(major)  NAME_(major)

#define ROUNDS       5
#define LAUNCHES     100000
#define LEAST        300000.0
#define BUFFER_BYTES (4u << 20)

KERNEL(step, "_Z4stepv", (int unused), &unused)
KERNELS(NULL, KERNEL_ENTRY(step))

static size_t received_bytes;

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The best of some rounds, in launches per second; 0 when one failed. */
static double measure(void)
{
	double best = 0;
	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_s();
		for (int i = 0; i < LAUNCHES; i++)
			LAUNCH(step, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(i);
		if (cudaDeviceSynchronize())
			return 0;
		double rate = LAUNCHES / (now_s() - begin);
		if (rate > best)
			best = rate;
	}
	return best;
}

static void give(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_max_records)
{
	*ret_buffer = aligned_alloc(8, BUFFER_BYTES);
	*ret_size = BUFFER_BYTES;
	*ret_max_records = 0;
}

static void take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	received_bytes += valid;
	free(buffer);
}

static void look_up(void *library, const char *name, void *ret_function)
{
	void *symbol = dlsym(library, name);
	memcpy(ret_function, &symbol, sizeof(symbol));
}

/* Returns 0 if CUPTI records from now on. */
static int start_recording(void)
{
	static const uint32_t kinds[] = {1, 5, 10}; /* copies, runtime calls, kernels */
	int (*on)(uint32_t), (*callbacks)(void *, void *), failed;
	void *library = dlopen(NAME(CUDART_MAJOR), RTLD_NOW);
	if (!library)
		return -1;
	look_up(library, "cuptiActivityEnable", &on);
	look_up(library, "cuptiActivityRegisterCallbacks", &callbacks);
	failed = callbacks((void *)(uintptr_t)give, (void *)(uintptr_t)take);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		failed |= on(kinds[i]);
	return failed;
}

int main(void)
{
	setenv("CUDASIM_KERNELS", "*=0", 1);
	setenv("CUDASIM_LAUNCH", "0", 1);
	double plain = measure();
	double traced = start_recording() ? 0 : measure();
	int failed = (plain < LEAST) + (traced < LEAST || received_bytes == 0);
	printf("launches per second: %.0f, recorded by CUPTI %.0f, at least %.0f wanted\n", plain,
		traced, LEAST);
	printf("launch_rate: %d passed, %d failed\n", 2 - failed, failed);
	return failed != 0;
}
