/* SPDX-License-Identifier: MIT */
/*
 * A program of the CUDA runtime: what a training script's libraries call, in one thread and in a
 * second one. Built with -DPER_THREAD it uses the forms with a default stream per thread, as
 * programs compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM do.
 */
#ifdef PER_THREAD
#define __cudaLaunchKernel          __cudaLaunchKernel_ptsz
#define cudaLaunchKernel            cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC         cudaLaunchKernelExC_ptsz
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchHostFunc          cudaLaunchHostFunc_ptsz
#define cudaStreamAddCallback       cudaStreamAddCallback_ptsz
#define cudaMemcpy                  cudaMemcpy_ptds
#define cudaMemcpyAsync             cudaMemcpyAsync_ptsz
#define cudaMemcpy2D                cudaMemcpy2D_ptds
#define cudaMemset                  cudaMemset_ptds
#define cudaMemsetAsync             cudaMemsetAsync_ptsz
#define cudaMallocAsync             cudaMallocAsync_ptsz
#define cudaMallocFromPoolAsync     cudaMallocFromPoolAsync_ptsz
#define cudaFreeAsync               cudaFreeAsync_ptsz
#define cudaMemPrefetchAsync        cudaMemPrefetchAsync_ptsz
#define cudaEventRecord             cudaEventRecord_ptsz
#define cudaStreamWaitEvent         cudaStreamWaitEvent_ptsz
#define cudaStreamSynchronize       cudaStreamSynchronize_ptsz
#define cudaStreamQuery             cudaStreamQuery_ptsz
#define cudaStreamAttachMemAsync    cudaStreamAttachMemAsync_ptsz
#define cudaStreamBeginCapture      cudaStreamBeginCapture_ptsz
#define cudaStreamEndCapture        cudaStreamEndCapture_ptsz
#define cudaGraphLaunch             cudaGraphLaunch_ptsz
#define cudaGraphUpload             cudaGraphUpload_ptsz
#endif
#include "test/cudasim/programs/kernel.h"

#include <pthread.h>
#include <stdio.h>

KERNEL(scale, "_Z5scaleIfEvPT_i", (float *data, int count), &data, &count)
KERNEL(shift, "_Z5shiftPfi", (float *data, int count), &data, &count)
KERNELS(NULL, KERNEL_ENTRY(scale), KERNEL_ENTRY(shift))

static int faults;
#define CHECK(call)                                                                                \
	do {                                                                                       \
		if ((call) != 0) {                                                                 \
			faults++;                                                                  \
			printf("FAULT %s\n", #call);                                               \
		}                                                                                  \
	} while (0)

static void on_host(void *data)
{
	(void)data;
}

static void on_stream(CUstream stream, int status, void *data)
{
	(void)stream;
	(void)status;
	(void)data;
}

static void launches(float *device, CUstream stream)
{
	int count = 8;
	void *args[] = {&device, &count};
	struct cuda_launch_config config = {DIM3(3, 2, 1), DIM3(4, 4, 2), 64, stream, NULL, 0};
	LAUNCH(scale, DIM3(2, 1, 1), DIM3(32, 1, 1), 0, NULL)(device, count);
	LAUNCH(shift, DIM3(5, 4, 3), DIM3(8, 4, 2), 128, stream)(device, count);
	CHECK(cudaLaunchCooperativeKernel(
		(const void *)(uintptr_t)scale, DIM3(1, 1, 1), DIM3(64, 1, 1), args, 0, stream));
	CHECK(cudaLaunchKernelExC(&config, (const void *)(uintptr_t)shift, args));
	CHECK(cudaLaunchKernel(
		(const void *)(uintptr_t)shift, DIM3(7, 1, 1), DIM3(1, 1, 1), args, 0, stream));
	CHECK(cudaLaunchHostFunc(stream, on_host, NULL));
	CHECK(cudaStreamAddCallback(stream, on_stream, NULL, 0));
}

static void copies(float *device, void *pinned, CUstream stream)
{
	static char pageable[1024];
	CHECK(cudaMemcpy(device, pageable, 1024, CUDA_H2D));
	CHECK(cudaMemcpyAsync(device, pinned, 512, CUDA_H2D, stream));
	CHECK(cudaMemcpyAsync(pinned, device, 256, CUDA_D2H, stream));
	CHECK(cudaMemcpyAsync(pageable, device, 128, CUDA_D2H, NULL));
	CHECK(cudaMemcpyAsync(device, (char *)device + 512, 64, CUDA_D2D, stream));
	CHECK(cudaMemcpyAsync(device, pinned, 32, CUDA_COPY_DEFAULT, stream));
	CHECK(cudaMemcpy2D(device, 64, pageable, 64, 16, 4, CUDA_H2D));
	CHECK(cudaMemset(device, 1, 1000));
	CHECK(cudaMemsetAsync(device, 2, 500, stream));
}

static void waits(CUstream stream)
{
	CUevent first, second;
	float ms;
	CHECK(cudaEventCreate(&first));
	CHECK(cudaEventCreateWithFlags(&second, 0));
	CHECK(cudaEventRecord(first, stream));
	CHECK(cudaStreamWaitEvent(NULL, first, 0));
	CHECK(cudaEventRecord(second, NULL));
	CHECK(cudaEventSynchronize(second));
	CHECK(cudaEventQuery(first));
	CHECK(cudaEventElapsedTime(&ms, first, second));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamQuery(stream));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventDestroy(first));
	CHECK(cudaEventDestroy(second));
}

static void graph(float *device, CUstream stream)
{
	CUgraph made, again;
	CUgraphExec exec;
	CHECK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_THREAD_LOCAL));
	LAUNCH(scale, DIM3(2, 1, 1), DIM3(16, 1, 1), 0, stream)(device, 8);
	CHECK(cudaMemsetAsync(device, 0, 64, stream));
	CHECK(cudaStreamEndCapture(stream, &made));
	CHECK(cudaGraphInstantiate(&exec, made, 0));
	CHECK(cudaGraphUpload(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_THREAD_LOCAL));
	LAUNCH(scale, DIM3(4, 1, 1), DIM3(16, 1, 1), 0, stream)(device, 8);
	CHECK(cudaMemsetAsync(device, 1, 64, stream));
	CHECK(cudaStreamEndCapture(stream, &again));
	CHECK(cudaGraphExecUpdate(exec, again, NULL));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(again));
	CHECK(cudaGraphDestroy(made));
}

static void memory(CUstream stream)
{
	struct {
		int type, handle_types, location_type, location_id;
		char more[128];
	} properties = {.type = 1, .location_type = 1};
	void *pooled, *managed, *own;
	CUmemoryPool pool;
	CHECK(cudaMallocAsync(&pooled, 2048, stream));
	CHECK(cudaMemsetAsync(pooled, 1, 2048, stream));
	CHECK(cudaFreeAsync(pooled, stream));
	CHECK(cudaMemPoolCreate(&pool, &properties));
	CHECK(cudaMallocFromPoolAsync(&own, 4096, pool, stream));
	CHECK(cudaFreeAsync(own, stream));
	CHECK(cudaMemPoolTrimTo(pool, 0));
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaMallocManaged(&managed, 8192, 1));
#if CUDART_MAJOR >= 13
	CHECK(cudaMemAdvise(managed, 8192, 1, (struct cuda_location){1, 0}));
	CHECK(cudaMemPrefetchAsync(managed, 8192, (struct cuda_location){1, 0}, 0, stream));
#else
	CHECK(cudaMemAdvise(managed, 8192, 1, 0));
	CHECK(cudaMemPrefetchAsync(managed, 8192, 0, stream));
#endif
	CHECK(cudaMemcpyAsync(managed, (char *)managed + 4096, 100, CUDA_COPY_DEFAULT, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(managed));
}

static void *all(void *unused)
{
	float *device;
	void *pinned;
	CUstream stream;
	(void)unused;
	CHECK(cudaMalloc((void **)&device, 4096));
	CHECK(cudaHostAlloc(&pinned, 4096, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	launches(device, stream);
	copies(device, pinned, stream);
	waits(stream);
	graph(device, stream);
	memory(stream);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	return NULL;
}

int main(void)
{
	pthread_t thread;
	(void)all(NULL);
	CHECK(pthread_create(&thread, NULL, all, NULL));
	CHECK(pthread_join(thread, NULL));
	printf("%d faults\n", faults);
	return faults != 0 ? 2 : 0;
}
