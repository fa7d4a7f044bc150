/* SPDX-License-Identifier: MIT */
/*
 * What the runtime can move beside plain memory, with data that are looked at: arrays, boxes,
 * batches, sets of boxes, and the newer forms of calls that go with them. Prints what is wrong.
 */
#include "test/cudasim/programs/kernel.h"

#include <stdio.h>
#include <string.h>

#define WIDTH  12 /* elements of 4 bytes */
#define HEIGHT 5
#define DEPTH  3
#define CELLS  (WIDTH * HEIGHT * DEPTH)
#define ROW    ((size_t)WIDTH * 4)
#define PLANE  (ROW * HEIGHT)

KERNEL(scale, "_Z5scaleIfEvPT_i", (float *data, int count), &data, &count)
KERNELS(NULL, KERNEL_ENTRY(scale))

static int faults;
#define CHECK(call)                                                                                \
	do {                                                                                       \
		int result_ = (call);                                                              \
		if (result_ != 0) {                                                                \
			faults++;                                                                  \
			printf("FAULT %d %s\n", result_, #call);                                   \
		}                                                                                  \
	} while (0)

static const struct cuda_channels floats = {{32, 0, 0, 0}, 2};
static int host[CELLS], back[CELLS];
static int *pinned;

static void same(const char *what, const int *wanted, size_t bytes)
{
	if (memcmp(back, wanted, bytes) != 0) {
		faults++;
		printf("FAULT data of %s\n", what);
	}
	memset(back, 0, sizeof(back));
}

/* Linear copies and rows, both ways; the device's memory in between where it can be. */
static void flat_array(int *device, CUstream stream)
{
	CUarray one, two;
	CHECK(cudaMallocArray(&one, &floats, WIDTH, HEIGHT, 0));
	CHECK(cudaMallocArray(&two, &floats, WIDTH, HEIGHT, 0));
	CHECK(cudaMemcpyToArray(one, 0, 0, host, PLANE, CUDA_H2D));
	CHECK(cudaMemcpyArrayToArray(two, 0, 1, one, 0, 1, ROW * 2, CUDA_D2D));
	CHECK(cudaMemcpyFromArray(back, two, 0, 1, ROW, CUDA_D2H));
	same("cudaMemcpyArrayToArray", host + WIDTH, ROW);
	CHECK(cudaMemcpy2DArrayToArray(two, 4, 0, one, 8, 2, 16, 2, CUDA_D2D));
	CHECK(cudaMemcpy2DFromArray(back, 16, two, 4, 0, 16, 2, CUDA_D2H));
	same("a part of an array", host + 2 * WIDTH + 2, 16);
	CHECK(cudaMemcpy2DToArray(two, 0, 0, host, ROW, ROW, HEIGHT, CUDA_H2D));
	CHECK(cudaMemcpy2DFromArrayAsync(device, ROW, two, 0, 0, ROW, HEIGHT, CUDA_D2D, stream));
	CHECK(cudaMemcpyAsync(pinned, device, PLANE, CUDA_D2H, stream));
	CHECK(cudaMemcpy2DToArrayAsync(
		one, 0, 0, pinned, ROW, ROW, HEIGHT - 1, CUDA_COPY_DEFAULT, stream));
	CHECK(cudaMemcpyToArrayAsync(one, 0, HEIGHT - 1, pinned, 20, CUDA_H2D, stream));
	CHECK(cudaMemcpyFromArrayAsync(back, one, 0, 0, PLANE, CUDA_D2H, stream));
	CHECK(cudaStreamSynchronize(stream));
	memcpy(host + WIDTH * (HEIGHT - 1), host, 20);
	same("an array written in rows", host, PLANE - ROW + 20);
	CHECK(cudaFreeArray(two));
	CHECK(cudaFreeArray(one));
}

/* A box of an array's elements goes into the array, to pitched memory and back. */
static void deep_array(CUstream stream)
{
	struct cuda_extent extent = {WIDTH, HEIGHT, DEPTH}, bytes = {ROW, HEIGHT, DEPTH};
	struct cuda_pitched_pointer place, from = {host, ROW, WIDTH, HEIGHT};
	struct cuda_pitched_pointer to = {back, ROW, WIDTH, HEIGHT};
	CUarray array;
	CHECK(cudaMalloc3DArray(&array, &floats, extent, 0));
	CHECK(cudaMalloc3D(&place, bytes));
	struct cuda_memcpy_3d in = {
		.source = from, .target_array = array, .extent = extent, .kind = CUDA_H2D};
	struct cuda_memcpy_3d across = {
		.source_array = array, .target = place, .extent = extent, .kind = CUDA_D2D};
	struct cuda_memcpy_3d_peer again = {.source = place,
		.source_pos = {4, 1, 1},
		.target_array = array,
		.extent = {WIDTH - 1, HEIGHT - 1, DEPTH - 1}};
	struct cuda_memcpy_3d out = {
		.source_array = array, .target = to, .extent = {WIDTH - 1, 1, 1}, .kind = CUDA_D2H};
	CHECK(cudaMemcpy3D(&in));
	CHECK(cudaMemcpy3DAsync(&across, stream));
	CHECK(cudaMemcpy3DPeer(&again));
	CHECK(cudaMemcpy3DPeerAsync(&again, stream));
	CHECK(cudaMemcpy3DAsync(&out, stream));
	CHECK(cudaStreamSynchronize(stream));
	same("a box out of an array", host + WIDTH * HEIGHT + WIDTH + 1, ROW - 4);
	CHECK(cudaMemset3D(place, 3, bytes));
	bytes.height--;
	CHECK(cudaMemset3DAsync(place, 5, bytes, stream));
	CHECK(cudaMemcpy2DAsync(back, 1, (char *)place.pointer + place.pitch * (HEIGHT - 2),
		place.pitch, 1, 3, CUDA_D2H, stream));
	static const char edge[] = {5, 3, 5};
	same("a set box", (const int *)(const void *)edge, sizeof(edge));
	CHECK(cudaFree(place.pointer));
	CHECK(cudaFreeArray(array));
}

#if CUDART_MAJOR == 12
#define NO_FAIL , NULL
#else
#define NO_FAIL
#endif

static void batches(int *device, CUstream stream)
{
	struct cuda_extent extent = {WIDTH, HEIGHT, 1};
	CUdeviceptr targets[2] = {
		(CUdeviceptr)(uintptr_t)device, (CUdeviceptr)(uintptr_t)(device + WIDTH)};
	CUdeviceptr sources[2] = {
		(CUdeviceptr)(uintptr_t)(pinned + WIDTH), (CUdeviceptr)(uintptr_t)pinned};
	size_t sizes[2] = {ROW, 20}, index = 0;
	int attributes[16] = {1}; /* in the stream's order */
	CUarray array;
	memcpy(pinned, host, PLANE);
	CHECK(cudaMallocArray(&array, &floats, WIDTH, HEIGHT, 0));
	CHECK(cudaMemcpyBatchAsync(
		targets, sources, sizes, 2, attributes, &index, 1 NO_FAIL, stream));
	struct cu_batch_box boxes[2] = {{.source = {.type = CU_BATCH_MEMORY, .address = sources[1]},
						.target = {.type = CU_BATCH_ARRAY, .array = array},
						.extent = extent,
						.order = 1},
		{.source = {.type = CU_BATCH_ARRAY, .array = array, .pos = {2, 1, 0}},
			.target = {.type = CU_BATCH_MEMORY, .address = targets[1] + 20},
			.extent = {3, 1, 1},
			.order = 1}};
	CHECK(cudaMemcpy3DBatchAsync(2, boxes NO_FAIL, 0, stream));
	CHECK(cudaMemcpyAsync(back, device, ROW + 32, CUDA_D2H, stream));
	int wanted[WIDTH + 8];
	memcpy(wanted, host + WIDTH, ROW);
	memcpy(wanted + WIDTH, host, 20);
	memcpy(wanted + WIDTH + 5, host + WIDTH + 2, 12);
	same("batches", wanted, sizeof(wanted));
	CHECK(cudaFreeArray(array));
}

static void newer(float *device, CUstream stream)
{
	struct cu_instantiate parameters = {.upload = stream};
	CUgraph graph;
	CUgraphExec exec;
	CHECK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_RELAXED));
	LAUNCH(scale, DIM3(2, 1, 1), DIM3(16, 1, 1), 0, stream)(device, 8);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithParams(&exec, graph, &parameters));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
#if CUDART_MAJOR == 12
	int count = 8;
	void *args[] = {&device, &count}, *managed;
	struct cuda_device_launch launch = {
		(const void *)(uintptr_t)scale, DIM3(2, 1, 1), DIM3(32, 1, 1), args, 0, stream};
	CUevent first, second;
	float ms = -1;
	CHECK(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0));
	CHECK(cudaEventCreate(&first));
	CHECK(cudaEventCreate(&second));
	CHECK(cudaEventRecord(first, stream));
	CHECK(cudaEventRecord(second, stream));
	CHECK(cudaEventSynchronize(second));
	CHECK(cudaEventElapsedTime_v2(&ms, first, second));
	CHECK(ms < 0);
	CHECK(cudaMallocManaged(&managed, 8192, 1));
	CHECK(cudaMemAdvise_v2(managed, 8192, 1, (struct cuda_location){1, 0}));
	CHECK(cudaMemPrefetchAsync_v2(managed, 8192, (struct cuda_location){1, 0}, 0, stream));
	CHECK(cudaFree(managed));
#endif
}

int main(void)
{
	int *device;
	CUstream stream;
	for (int i = 0; i < CELLS; i++)
		host[i] = i * 7 + 1;
	CHECK(cudaMalloc((void **)&device, 4096));
	CHECK(cudaHostAlloc((void **)&pinned, 4096, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	flat_array(device, stream);
	deep_array(stream);
	batches(device, stream);
	newer((float *)(void *)device, stream);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	printf("%d faults\n", faults);
	return faults != 0 ? 2 : 0;
}
