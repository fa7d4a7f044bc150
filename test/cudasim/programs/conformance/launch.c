/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>

#include "conformance.h"

void group_launch(void)
{
	float *x, *y, result[4];
	const float start[] = {1, 2, 3, 4};
	int unused = 0, blocks = 0;
	void *args[] = {&unused};
	const char *name = NULL;
	struct cuda_func_attributes attributes;
	CHECK_OK(cudaMalloc((void **)&x, sizeof(start)));
	CHECK_OK(cudaMalloc((void **)&y, sizeof(start)));
	CHECK_OK(cudaMemcpy(x, start, sizeof(start), CUDA_H2D));
	launch_saxpy(2, x, y, 4, NULL);
	launch_saxpy(1, x, y, 3, NULL);
	CHECK_OK(cudaMemcpy(result, y, sizeof(result), CUDA_D2H));
	CHECK(result[0] == 3 && result[2] == 9 && result[3] == 8);

	struct cuda_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
	uint64_t begin = now_ns();
	CHECK_OK(cudaLaunchKernelExC(&config, slow_stub(), args));
	CHECK_OK(cudaLaunchCooperativeKernel(
		slow_stub(), DIM3(1, 1, 1), DIM3(1, 1, 1), args, 0, NULL));
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, 2 * SLOW_NS));

	/* Rules look at demangled names. */
	begin = now_ns();
	launch_scale_double();
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(!has_waited(begin, SCALE_NS));
	launch_scale_float();
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, SCALE_NS));

	CHECK_OK(cudaFuncGetAttributes(&attributes, slow_stub()));
	CHECK(attributes.max_threads_per_block == 1024 && attributes.registers > 0);
	CHECK_OK(cudaFuncGetName(&name, slow_stub()));
	CHECK(name && strcmp(name, "slow") == 0);
	CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, slow_stub(), 256, 0));
	CHECK(blocks == 8);
	CHECK_RESULT(cudaLaunchKernel(start, DIM3(1, 1, 1), DIM3(1, 1, 1), args, 0, NULL),
		cudaErrorInvalidDeviceFunction);
	CHECK_RESULT(cudaLaunchKernel(slow_stub(), DIM3(0, 1, 1), DIM3(1, 1, 1), args, 0, NULL),
		cudaErrorInvalidConfiguration);
	CHECK_RESULT(cudaLaunchKernel(slow_stub(), DIM3(1, 1, 1), DIM3(1025, 1, 1), args, 0, NULL),
		cudaErrorInvalidConfiguration);
	CHECK_RESULT(cudaLaunchKernel(slow_stub(), DIM3(1, 1, 1), DIM3(1, 1, 1), args, 0,
			     (CUstream)(void *)&config),
		cudaErrorInvalidResourceHandle);
}

/* The queue holds 8 launches; the ninth has to wait for the first to end. */
void group_queue(void)
{
	CUstream stream;
	CHECK_OK(cudaStreamCreate(&stream));
	uint64_t begin = now_ns();
	for (int i = 0; i < 8; i++)
		launch_mid(stream);
	CHECK(was_early(begin, 3 * MID_NS));
	launch_mid(stream);
	CHECK(has_waited(begin, MID_NS));
	CHECK(!has_waited(begin, 6 * MID_NS));
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK(has_waited(begin, 9 * MID_NS));
}

static uint64_t cpu_ns(void)
{
	struct timespec used;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* A launch costs 200 us of the thread's time, spent busy. */
void group_cost(void)
{
	launch_mid(NULL);
	CHECK_OK(cudaDeviceSynchronize());
	uint64_t begin = now_ns(), cpu_begin = cpu_ns();
	for (int i = 0; i < 50; i++)
		launch_mid(NULL);
	CHECK(has_waited(begin, 10 * MS));
	CHECK(cpu_ns() - cpu_begin >= 5 * MS);
	CHECK_OK(cudaDeviceSynchronize());
}
