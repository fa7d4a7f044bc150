/* SPDX-License-Identifier: MIT */
/*
 * Launches through the runtime and the driver that do nothing, to count instructions.
 * usage: cost runtime|driver|nested CALLS; built with -DSTUB it is the library that has them.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
	unsigned x, y, z;
};

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream);
int cuLaunchKernel(const void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra);
int cuMemAlloc_v2(unsigned long long *address, size_t size);
int cuModuleGetFunction(void **function, void *module, const char *name);
void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name,
	int limit, void *tid, void *bid, void *block, void *grid, int *warp);

#ifdef STUB
extern int stub_nests;
int stub_nests;

int cuLaunchKernel(const void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra)
{
	__asm__ volatile("" : : "r"(function), "r"(stream), "r"(arguments), "r"(extra) : "memory");
	return (int)((grid_x ^ grid_y ^ grid_z ^ block_x ^ block_y ^ block_z ^ shared) & 0);
}

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream)
{
	if (stub_nests)
		return cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
			(unsigned)shared, stream, arguments, NULL);
	return 0;
}

int cuMemAlloc_v2(unsigned long long *address, size_t size)
{
	*address = size;
	return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	*function = module;
	return name == NULL;
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
#else
extern int stub_nests;

int main(int argc, char **argv)
{
	static const struct dim3 grid = {10, 1, 1}, block = {256, 1, 1};
	static char stub, module;
	void *arguments[1], *group, *function;
	long calls = argc > 2 ? atol(argv[2]) : 0;
	__cudaRegisterFunction(&group, &stub, &stub, "kernel", -1, NULL, NULL, NULL, NULL, NULL);
	(void)cuModuleGetFunction(&function, &module, "kernel");
	stub_nests = argc > 1 && strcmp(argv[1], "nested") == 0;
	if (argc > 1 && strcmp(argv[1], "driver") == 0)
		for (long i = 0; i < calls; i++)
			(void)cuLaunchKernel(
				function, 10, 1, 1, 256, 1, 1, 0, &stub, arguments, NULL);
	else
		for (long i = 0; i < calls; i++)
			(void)cudaLaunchKernel(&stub, grid, block, arguments, 0, &stub);
	return 0;
}
#endif
