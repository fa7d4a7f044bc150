// SPDX-License-Identifier: MIT
// A program with the vendor's runtime linked in: nobody sees its calls but the driver. Prints what it asked
// the device for, one "NAME COUNT" a line, for check_counts.py.
#include <cstdio>
#include <cuda_runtime.h>

template <int Factor> __global__ void scale(float *values, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		values[i] *= Factor;
}

__global__ void shift(float *values, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		values[i] += 1;
}

int main()
{
	const int count = 1 << 16, rounds = 50;
	float *device, *host;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	if (cudaMalloc(&device, count * sizeof(float)) != cudaSuccess)
		return 1;
	cudaMallocHost(&host, count * sizeof(float));
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cudaMemsetAsync(device, 0, count * sizeof(float), stream);
	for (int i = 0; i < rounds; i++) {
		scale<2><<<count / 256, 256, 0, stream>>>(device, count);
		shift<<<count / 256, 256, 0, stream>>>(device, count);
	}
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	scale<3><<<count / 256, 256, 0, stream>>>(device, count);
	shift<<<count / 256, 256, 0, stream>>>(device, count);
	cudaStreamEndCapture(stream, &graph);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	for (int i = 0; i < rounds; i++)
		cudaGraphLaunch(exec, stream);
	cudaMemcpyAsync(host, device, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	printf("void scale<2>(float*, int) %d\nvoid scale<3>(float*, int) %d\nshift(float*, int) %d\n", rounds,
		rounds, 2 * rounds);
	printf("Memset 1\nMemcpy DtoH 1\n");
	return cudaGetLastError() != cudaSuccess;
}
