/* SPDX-License-Identifier: MIT */
/*
 * A training-like program as nvcc compiles it: kernels from templates, <<<>>> launches, cooperative
 * ones, streams, events, a captured graph, managed memory, asynchronous allocations, in two
 * threads. Only calls are checked; the device code may never run.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <pthread.h>

static int faults;
#define CHECK(call)                                                                                \
	do {                                                                                       \
		if ((call) != cudaSuccess) {                                                       \
			faults++;                                                                  \
			std::printf("FAULT %s\n", #call);                                           \
		}                                                                                  \
	} while (0)

template <typename T, int UNROLL> struct scaled {
	T factor;
	__device__ T operator()(T value) const { return value * factor * UNROLL; }
};

template <typename T, typename F> __global__ void elementwise(T *data, int count, F function)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		data[i] = function(data[i]);
}

namespace layer
{
template <int BLOCK> __global__ void reduce(const float *data, float *sum)
{
	__shared__ float part[BLOCK];
	part[threadIdx.x] = data[threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0)
		*sum = part[0];
}
} // namespace layer

__global__ void whole_grid(float *data)
{
	cooperative_groups::this_grid().sync();
	data[0] = 1;
}

extern "C" __global__ void plain(float *data) { data[0] = 2; }

__constant__ float table[16];

static void on_host(void *) {}

static void launches(float *device, cudaStream_t stream)
{
	void *args[] = {&device};
	elementwise<<<2, 128>>>(device, 256, scaled<float, 4>{2.0f});
	elementwise<<<dim3(3, 2), dim3(16, 4), 0, stream>>>(
		reinterpret_cast<double *>(device), 64, scaled<double, 2>{1.0});
	layer::reduce<64><<<1, 64, 256, stream>>>(device, device + 64);
	layer::reduce<32><<<1, 32, 0, stream>>>(device, device + 64);
	plain<<<1, 1, 0, stream>>>(device);
	CHECK(cudaGetLastError());
	CHECK(cudaLaunchCooperativeKernel(
		reinterpret_cast<const void *>(whole_grid), dim3(2), dim3(32), args, 0, stream));
	CHECK(cudaLaunchHostFunc(stream, on_host, nullptr));
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(4);
	config.blockDim = dim3(8, 8);
	config.stream = stream;
	CHECK(cudaLaunchKernelEx(&config, plain, device));
}

static void copies(float *device, float *pinned, cudaStream_t stream)
{
	static float pageable[256];
	CHECK(cudaMemcpyToSymbol(table, pageable, sizeof(table)));
	CHECK(cudaMemcpy(device, pageable, sizeof(pageable), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyAsync(device, pinned, 512, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(pinned, device, 64, cudaMemcpyDefault, stream));
	CHECK(cudaMemcpyAsync(pageable, device, 128, cudaMemcpyDeviceToHost));
	CHECK(cudaMemset(device, 0, 100));
	CHECK(cudaMemsetAsync(device, 1, 1024, stream));
}

static void waits(cudaStream_t stream)
{
	cudaEvent_t first, second;
	float ms;
	CHECK(cudaEventCreate(&first));
	CHECK(cudaEventCreateWithFlags(&second, cudaEventDefault));
	CHECK(cudaEventRecord(first, stream));
	CHECK(cudaStreamWaitEvent(cudaStreamPerThread, first));
	CHECK(cudaEventRecord(second));
	CHECK(cudaEventSynchronize(second));
	CHECK(cudaEventElapsedTime(&ms, first, second));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamSynchronize(0));
	CHECK(cudaEventDestroy(first));
	CHECK(cudaEventDestroy(second));
}

static void graph(float *device, cudaStream_t stream)
{
	cudaGraph_t made;
	cudaGraphExec_t exec;
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	elementwise<<<1, 32, 0, stream>>>(device, 32, scaled<float, 1>{3.0f});
	CHECK(cudaMemsetAsync(device, 1, 64, stream));
	CHECK(cudaStreamEndCapture(stream, &made));
	CHECK(cudaGraphInstantiate(&exec, made, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(made));
}

static void *all(void *)
{
	float *device, *pinned, *managed, *pooled;
	cudaStream_t stream;
	CHECK(cudaMalloc(&device, 4096));
	CHECK(cudaMallocHost(&pinned, 4096));
	CHECK(cudaMallocManaged(&managed, 4096));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMallocAsync(&pooled, 1024, stream));
	launches(device, stream);
	elementwise<<<1, 64, 0, stream>>>(managed, 64, scaled<float, 4>{1.0f});
	copies(device, pinned, stream);
	waits(stream);
	graph(device, stream);
	CHECK(cudaFreeAsync(pooled, stream));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(managed));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	return nullptr;
}

int main()
{
	pthread_t thread;
	all(nullptr);
	CHECK((cudaError_t)pthread_create(&thread, nullptr, all, nullptr));
	CHECK((cudaError_t)pthread_join(thread, nullptr));
	std::printf("%d faults\n", faults);
	return faults != 0 ? 2 : 0;
}
