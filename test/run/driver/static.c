/* SPDX-License-Identifier: MIT */
/* A library whose CUDA runtime is linked in and hidden, as in cuBLAS. */
#include "test/cudasim/programs/kernel.h"

KERNEL(hidden, "_Z6hiddenPfi", (float *data, int count), &data, &count)
KERNELS(NULL, KERNEL_ENTRY(hidden))

__attribute__((visibility("default"))) int library_work(void);
int library_work(void)
{
	char host[256] = {0};
	void *device;
	int faults = cudaMalloc(&device, 256) != 0;
	for (int i = 0; i < 3; i++)
		LAUNCH(hidden, DIM3(2, 1, 1), DIM3(32, 1, 1), 0, NULL)(device, 4);
	faults += cudaMemcpy(device, host, 256, CUDA_H2D) != 0;
	faults += cudaMemcpyAsync(host, device, 64, CUDA_D2H, NULL) != 0;
	faults += cudaMemset(device, 0, 256) != 0;
	faults += cudaStreamSynchronize(NULL) != 0;
	faults += cudaDeviceSynchronize() != 0;
	return faults + (cudaFree(device) != 0);
}
