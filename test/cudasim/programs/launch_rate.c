/* SPDX-License-Identifier: MIT */
/*
 * How many launches per second the device takes when they cost nothing (CUDASIM_LAUNCH=0): the
 * ceiling of what a test can drive through it, without CUPTI and while it records kernels, copies
 * and runtime calls. Then, what calls are recorded must follow what is asked for: here no log wants
 * all of them anyway. Exits with 1 if either is below 300,000 per second, or that is not so.
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
#define RUNTIME      5u
#define LEAST        300000.0
#define BUFFER_BYTES (4u << 20)

KERNEL(step, "_Z4stepv", (int unused), &unused)
KERNELS(NULL, KERNEL_ENTRY(step))

static size_t received_bytes, received_calls;
static int (*enable)(uint32_t), (*disable)(uint32_t), (*flush)(uint32_t);
static int (*next)(uint8_t *buffer, size_t valid, uint8_t **record);

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
	for (uint8_t *record = NULL; next(buffer, valid, &record) == 0;) {
		uint32_t kind;
		memcpy(&kind, record, sizeof(kind));
		received_calls += kind == RUNTIME;
	}
	free(buffer);
}

static void look_up(void *library, const char *name, void *ret_function)
{
	void *symbol = dlsym(library, name);
	memcpy(ret_function, &symbol, sizeof(symbol));
}

/* Returns 0 if CUPTI records from now on: also what it was not asked for when it was called. */
static int start_recording(void)
{
	static const uint32_t kinds[] = {1, 10, RUNTIME}; /* copies, kernels, runtime calls */
	int (*callbacks)(void *, void *), failed;
	void *library = dlopen(NAME(CUDART_MAJOR), RTLD_NOW);
	if (!library)
		return -1;
	look_up(library, "cuptiActivityEnable", &enable);
	look_up(library, "cuptiActivityDisable", &disable);
	look_up(library, "cuptiActivityFlushAll", &flush);
	look_up(library, "cuptiActivityGetNextRecord", &next);
	look_up(library, "cuptiActivityRegisterCallbacks", &callbacks);
	failed = callbacks((void *)(uintptr_t)give, (void *)(uintptr_t)take);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		failed |= enable(kinds[i]);
		LAUNCH(step, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(0);
	}
	return failed;
}

/* How many records of calls ten launches leave. */
static size_t calls_of_ten(void)
{
	(void)flush(0);
	size_t before = received_calls;
	for (int i = 0; i < 10; i++)
		LAUNCH(step, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(i);
	(void)cudaDeviceSynchronize();
	(void)flush(0);
	return received_calls - before;
}

/* Each of them asks for the same functions as the one before. */
static int follows_what_is_asked(void)
{
	size_t with = calls_of_ten();
	int failed = disable(RUNTIME);
	size_t without = calls_of_ten();
	failed |= enable(RUNTIME);
	return !failed && with >= 10 && without == 0 && calls_of_ten() == with;
}

int main(void)
{
	setenv("CUDASIM_KERNELS", "*=0", 1);
	setenv("CUDASIM_LAUNCH", "0", 1);
	double plain = measure();
	double traced = start_recording() ? 0 : measure();
	int failed = (plain < LEAST) + (traced < LEAST || received_bytes == 0);
	failed += traced <= 0 || !follows_what_is_asked();
	printf("launches per second: %.0f, recorded by CUPTI %.0f, at least %.0f wanted\n", plain,
		traced, LEAST);
	printf("launch_rate: %d passed, %d failed\n", 3 - failed, failed);
	return failed != 0;
}
