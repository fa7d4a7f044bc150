/* SPDX-License-Identifier: MIT */
/*
 * Two devices, chosen in every way: by contexts of the driver, by the runtime, by nothing. Each
 * step allocates on the device that is current, which the device's own log knows.
 */
#include "test/cudasim/cuda_structs.h"

#include <pthread.h>
#include <stdio.h>

int cuInit(unsigned flags);
int cuCtxCreate_v2(CUcontext *context, unsigned flags, int device);
int cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned flags, int device);
int cuCtxDestroy_v2(CUcontext context);
int cuCtxSetCurrent(CUcontext context);
int cuCtxGetCurrent(CUcontext *context);
int cuCtxPushCurrent_v2(CUcontext context);
int cuCtxPopCurrent_v2(CUcontext *context);
int cuCtxSynchronize_v2(CUcontext context);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
int cuMemFree_v2(CUdeviceptr address);
int cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t bytes);
int cudaSetDevice(int device);
int cudaInitDevice(int device, unsigned device_flags, unsigned flags);
int cudaMalloc(void **address, size_t bytes);
int cudaMemset(void *address, int value, size_t bytes);
int cudaFree(void *address);
int cudaGetDevice(int *device);

static int faults;

#define CHECK(call) (faults += (call) != 0)

static void work(void)
{
	CUdeviceptr address = 0;
	CHECK(cuMemAlloc_v2(&address, 4096));
	CHECK(cuMemsetD8_v2(address, 1, 100));
	CHECK(cuMemFree_v2(address));
}

static void runtime_work(void)
{
	void *address = NULL;
	CHECK(cudaMalloc(&address, 4096));
	CHECK(cudaMemset(address, 1, 100));
	CHECK(cudaFree(address));
}

static CUcontext made, of_runtime;

/* A context that another thread made; one that only the runtime has seen. */
static void *second(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(made));
	work();
	CHECK(cuCtxSetCurrent(of_runtime));
	work();
	CHECK(cuCtxSetCurrent(NULL));
	runtime_work(); /* no context, no choice: the first device */
	return NULL;
}

/* Nothing chosen at all; a device that is made ready is not chosen. */
static void *third(void *unused)
{
	(void)unused;
	CHECK(cudaInitDevice(1, 0, 0));
	runtime_work();
	CHECK(cudaSetDevice(1));
	runtime_work();
	work();
	CHECK(cudaSetDevice(7) == 0);
	runtime_work();
	return NULL;
}

static void *runtime_first(void *unused)
{
	(void)unused;
	CHECK(cudaSetDevice(1));
	runtime_work();
	CHECK(cuCtxGetCurrent(&of_runtime));
	return NULL;
}

static void in_thread(void *(*function)(void *))
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, function, NULL));
	CHECK(pthread_join(thread, NULL));
}

int main(void)
{
	CUcontext primary, other, popped;
	CHECK(cuInit(0));
	in_thread(runtime_first);
	CHECK(cuCtxCreate_v2(&made, 0, 1));
	work();
	CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
	CHECK(cuCtxPushCurrent_v2(primary));
	work();
	CHECK(cuCtxSynchronize_v2(made));
	CHECK(cuCtxPopCurrent_v2(&popped));
	work();
	CHECK(cuCtxCreate_v4(&other, NULL, 0, 0));
	work();
	CHECK(cuCtxDestroy_v2(other));
	work();
	in_thread(second);
	in_thread(third);
	CHECK(cuCtxSetCurrent(primary));
	work();
	CHECK(cuCtxSetCurrent(made));
	work();
	CHECK(cuCtxDestroy_v2(made));
	printf("%d faults\n", faults);
	return faults != 0 ? 2 : 0;
}
