/* SPDX-License-Identifier: MIT */
/* Another tracer that is preloaded: counts the launches that come to it, and says so at the end. */
#include <dlfcn.h>
#include <stdio.h>

#include "test/cudasim/cuda_structs.h"

typedef int launch(CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	CUstream, void **, void **);
launch cuLaunchKernel;

static unsigned seen;

int cuLaunchKernel(CUkernel kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
	void **params, void **extra)
{
	static launch *next;
	if (next == NULL)
		next = (launch *)dlsym(RTLD_NEXT, "cuLaunchKernel");
	if (next == NULL)
		next = (launch *)dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "cuLaunchKernel");
	seen++;
	return next(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
		params, extra);
}

static __attribute__((destructor)) void say(void)
{
	if (seen > 0)
		printf("launches seen: %u\n", seen);
}
