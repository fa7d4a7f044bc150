/* SPDX-License-Identifier: MIT */
/* A library that finds CUDA by itself: linked with the runtime, opened with RTLD_DEEPBIND. */
int cudaGetDevice(int *ret_device);
int cudaDeviceSynchronize(void);

int call(void);
int call(void)
{
	int device = 7;
	return cudaGetDevice(&device) == 0 && device == 0 && cudaDeviceSynchronize() == 0;
}
