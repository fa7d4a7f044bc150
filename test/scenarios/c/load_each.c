/* SPDX-License-Identifier: MIT */
/*
 * A compiler at run time makes code for each new shape, and every batch has one: loading it waits
 * for the device, and nothing is ever given back. What is read after that waits for nothing more.
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
int cuModuleGetFunction(void **ret_function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra);

PART static void *compile(void) /* truth: here */
{
	static const char image[64] = "code that was just made";
	void *module, *function;
	MUST(cuModuleLoadData(&module, image));
	MUST(cuModuleGetFunction(&function, module, "_Z6refinePfPKfi"));
	return function;
}

int main(void)
{
	void *weights, *x, *arguments[] = {&weights, &x, NULL};
	int n = 1 << 16;
	MUST(cudaMalloc(&weights, (size_t)n * 4));
	MUST(cudaMalloc(&x, (size_t)n * 4));
	arguments[2] = &n;
	stamps_begin();
	for (int step = 0; step < 80; step++) {
		float loss;
		void *refine = compile();
		MUST(cudaMemcpy(&loss, x, 4, CUDA_D2H));
		host_work(3000); /* the next problem is set up */
		LAUNCH(project, GRID, BLOCK, 0, NULL)(x, weights, n);
		for (int i = 0; i < 10; i++)
			MUST(cuLaunchKernel(refine, 64, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
		stamps_step();
	}
	stamps_end();
	return 0;
}
