/* SPDX-License-Identifier: MIT */
/*
 * Code is made for each step and loaded into the GPU, as a compiler at run time does that forgets
 * what it has made; loading and unloading wait for the device.
 *
 * truth: class=cpu cause=idle_sync rule=setup-repeated steps=80
 * truth: never=launch-bound|input-bound|alloc-churn
 * cudasim: CUDASIM_KERNELS=*=400us
 */
#include "stamps.h"

KERNEL(project, "_Z7projectPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(reduce_rows, "_Z11reduce_rowsPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(project), KERNEL_ENTRY(reduce_rows))

int cuModuleLoadData(void **ret_module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **ret_function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra);

PART static void refine(void *weights, void *x, int n) /* truth: here */
{
	static const char image[64] = "code that was just made";
	void *module, *function, *arguments[] = {&weights, &x, &n};
	MUST(cuModuleLoadData(&module, image));
	MUST(cuModuleGetFunction(&function, module, "_Z6refinePfPKfi"));
	for (int i = 0; i < 10; i++)
		MUST(cuLaunchKernel(function, 64, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
	MUST(cuModuleUnload(module));
}

int main(void)
{
	void *weights, *x;
	int n = 1 << 16;
	MUST(cudaMalloc(&weights, (size_t)n * 4));
	MUST(cudaMalloc(&x, (size_t)n * 4));
	stamps_begin();
	for (int step = 0; step < 80; step++) {
		host_work(3000); /* the next problem is set up */
		LAUNCH(project, GRID, BLOCK, 0, NULL)(x, weights, n);
		refine(weights, x, n);
		stamps_step();
	}
	stamps_end();
	return 0;
}
