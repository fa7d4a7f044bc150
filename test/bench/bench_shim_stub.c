/* SPDX-License-Identifier: MIT */
/*
 * A library of calls that do nothing: cudaLaunchKernel's shape under its own name and under a
 * plain one, and what else bench_calls.c makes.
 */
#include <stddef.h>

struct dim3 {
	unsigned x, y, z;
};

int stub_launch(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream) __attribute__((alias("stub_launch")));
void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name,
	int limit, void *tid, void *bid, void *block, void *grid, int *warp);
int cudaMemcpyAsync(void *dst, const void *src, size_t count, int kind, void *stream);
int cudaEventRecord(void *event, void *stream);
int cudaStreamSynchronize(void *stream);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra);

int stub_launch(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream)
{
	__asm__ volatile("" : : "r"(function), "r"(arguments), "r"(shared), "r"(stream) : "memory");
	(void)grid;
	(void)block;
	return 0;
}

int cudaMemcpyAsync(void *dst, const void *src, size_t count, int kind, void *stream)
{
	__asm__ volatile("" : : "r"(dst), "r"(src), "r"(count), "r"(stream) : "memory");
	(void)kind;
	return 0;
}

int cudaEventRecord(void *event, void *stream)
{
	__asm__ volatile("" : : "r"(event), "r"(stream) : "memory");
	return 0;
}

int cudaStreamSynchronize(void *stream)
{
	__asm__ volatile("" : : "r"(stream) : "memory");
	return 0;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra)
{
	__asm__ volatile("" : : "r"(function), "r"(stream), "r"(arguments), "r"(extra) : "memory");
	(void)grid_x;
	(void)grid_y;
	(void)grid_z;
	(void)block_x;
	(void)block_y;
	(void)block_z;
	(void)shared;
	return 0;
}

void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name,
	int limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
	__asm__ volatile("" : : "r"(group), "r"(stub), "r"(device), "r"(name) : "memory");
	(void)limit;
	(void)tid;
	(void)bid;
	(void)block;
	(void)grid;
	(void)warp;
}
