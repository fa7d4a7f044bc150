/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

#define BYTES       (2u << 20)
#define PATH_NS     (20 * MS) /* at least, for BYTES over any path */
#define PAGEABLE_NS (40 * MS)

struct buffers {
	char *device, *device2, *pinned, *pageable;
	CUstream stream;
};

static struct buffers make(void)
{
	struct buffers b;
	CHECK_OK(cudaMalloc((void **)&b.device, BYTES));
	CHECK_OK(cudaMalloc((void **)&b.device2, BYTES));
	CHECK_OK(cudaMallocHost((void **)&b.pinned, BYTES));
	CHECK_OK(cudaStreamCreateWithFlags(&b.stream, CUDA_STREAM_NON_BLOCKING));
	b.pageable = malloc(BYTES);
	/* Touch all pages once, so that page faults do not count as time of a copy. */
	memset(b.pageable, 1, BYTES);
	memset(b.pinned, 2, BYTES);
	CHECK_OK(cudaMemset(b.device, 3, BYTES));
	CHECK_OK(cudaMemset(b.device2, 4, BYTES));
	CHECK_OK(cudaDeviceSynchronize());
	return b;
}

static void check_async(struct buffers *b)
{
	uint64_t begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b->device, b->pinned, BYTES, CUDA_H2D, b->stream));
	CHECK(was_early(begin, PATH_NS));
	CHECK_RESULT(cudaStreamQuery(b->stream), cudaErrorNotReady);
	CHECK_OK(cudaStreamSynchronize(b->stream));
	CHECK(has_waited(begin, PATH_NS));
	CHECK(b->device[BYTES - 1] == 2);

	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b->device, b->pageable, BYTES, CUDA_H2D, b->stream));
	CHECK(has_waited(begin, PAGEABLE_NS)); /* for the staging buffer */
	CHECK_OK(cudaStreamSynchronize(b->stream));

	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b->pinned, b->device, BYTES, CUDA_D2H, b->stream));
	CHECK(was_early(begin, PATH_NS));
	CHECK_OK(cudaStreamSynchronize(b->stream));
	CHECK(has_waited(begin, PATH_NS));
	CHECK(b->pinned[17] == 1);

	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b->pageable, b->device2, BYTES, CUDA_D2H, b->stream));
	CHECK(has_waited(begin, PAGEABLE_NS));
	CHECK_OK(cudaStreamQuery(b->stream)); /* it is done when the call returns */
	CHECK(b->pageable[BYTES / 2] == 4);

	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b->device, b->device2, BYTES, CUDA_D2D, b->stream));
	CHECK(was_early(begin, PATH_NS));
	CHECK_OK(cudaStreamSynchronize(b->stream));
	CHECK(has_waited(begin, PATH_NS));

	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b->pinned, b->pageable, BYTES, CUDA_H2H, b->stream));
	CHECK(has_waited(begin, PATH_NS));
}

static void check_sync(struct buffers *b)
{
	uint64_t begin = now_ns();
	CHECK_OK(cudaMemcpy(b->device, b->pinned, BYTES, CUDA_H2D));
	CHECK(has_waited(begin, PATH_NS));
	CHECK_OK(cudaStreamQuery(NULL));

	launch_slow(NULL);
	begin = now_ns();
	CHECK_OK(cudaMemcpy(b->device, b->pageable, BYTES, CUDA_H2D));
	CHECK(has_waited(begin, PAGEABLE_NS)); /* and first for the kernel */
	CHECK_OK(cudaDeviceSynchronize());

	begin = now_ns();
	CHECK_OK(cudaMemcpy(b->pinned, b->device, BYTES, CUDA_COPY_DEFAULT));
	CHECK(has_waited(begin, PATH_NS));

	begin = now_ns();
	CHECK_OK(cudaMemcpy(b->device2, b->device, BYTES, CUDA_D2D));
	CHECK(was_early(begin, PATH_NS));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, PATH_NS));
}

static void check_sets(struct buffers *b)
{
	uint64_t begin = now_ns();
	CHECK_OK(cudaMemset(b->device, 9, BYTES));
	CHECK(was_early(begin, PATH_NS));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, PATH_NS));
	CHECK(b->device[5] == 9);

	begin = now_ns();
	CHECK_OK(cudaMemset(b->pinned, 8, BYTES));
	CHECK(has_waited(begin, PATH_NS));
	CHECK(b->pinned[5] == 8);
}

void group_copies(void)
{
	struct buffers b = make();
	check_async(&b);
	check_sync(&b);
	check_sets(&b);
	CHECK_RESULT(cudaMemcpy(b.pageable, b.pinned, BYTES, 7), cudaErrorInvalidMemcpyDirection);
	CHECK_RESULT(cudaMemcpy(b.pageable, b.pinned, BYTES, CUDA_H2D), cudaErrorInvalidValue);
	CHECK_RESULT(cudaMemcpy(b.device, b.pinned, BYTES + 1, CUDA_H2D), cudaErrorInvalidValue);
	CHECK_OK(cudaMemcpy(b.device, b.pinned, 0, CUDA_H2D));
	free(b.pageable);
}

void group_overlap(void)
{
	struct buffers b = make();
	CUstream other;
	char *pinned2;
	CHECK_OK(cudaStreamCreateWithFlags(&other, CUDA_STREAM_NON_BLOCKING));
	CHECK_OK(cudaMallocHost((void **)&pinned2, BYTES));

	/* Two directions at once take as long as one. */
	uint64_t begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b.device, b.pinned, BYTES, CUDA_H2D, b.stream));
	CHECK_OK(cudaMemcpyAsync(pinned2, b.device2, BYTES, CUDA_D2H, other));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, PATH_NS));
	CHECK(!has_waited(begin, 2 * PATH_NS));

	/* One direction twice takes twice as long: there is one engine. */
	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b.device, b.pinned, BYTES, CUDA_H2D, b.stream));
	CHECK_OK(cudaMemcpyAsync(b.device2, b.pinned, BYTES, CUDA_H2D, other));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, 2 * PATH_NS));

	/* A copy that waits for its stream does not hold the engine meanwhile. */
	launch_slow(b.stream);
	begin = now_ns();
	CHECK_OK(cudaMemcpyAsync(b.device, b.pinned, BYTES, CUDA_H2D, b.stream));
	CHECK_OK(cudaMemcpyAsync(b.device2, b.pinned, BYTES, CUDA_H2D, other));
	CHECK_OK(cudaStreamSynchronize(other));
	CHECK(!has_waited(begin, SLOW_NS));
	CHECK_OK(cudaDeviceSynchronize());
	free(b.pageable);
}

/* Content of copies that are not one range of bytes. */
void group_boxes(void)
{
	char host[8][16], back[8][16], *device;
	size_t pitch;
	int values[4] = {1, 2, 3, 4}, read[4] = {0};
	for (int i = 0; i < 8 * 16; i++)
		host[i / 16][i % 16] = (char)i;
	memset(back, 0, sizeof(back));
	CHECK_OK(cudaMallocPitch((void **)&device, &pitch, 16, 8));
	CHECK(pitch >= 16);
	CHECK_OK(cudaMemcpy2D(device, pitch, host, 16, 16, 8, CUDA_H2D));
	CHECK(device[3 * pitch + 5] == 3 * 16 + 5);
	CHECK_OK(cudaMemcpy2DAsync(back, 16, device, pitch, 8, 8, CUDA_D2H, NULL));
	CHECK(back[7][7] == 7 * 16 + 7 && back[7][8] == 0);
	CHECK_RESULT(
		cudaMemcpy2D(device, 8, host, 16, 16, 8, CUDA_H2D), cudaErrorInvalidPitchValue);
	CHECK_OK(cudaMemset2D(device, pitch, 5, 4, 8));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(device[7 * pitch + 3] == 5 && device[7 * pitch + 4] == 7 * 16 + 4);

	struct cuda_memcpy_3d box = {.source = {host, 16, 16, 4},
		.target = {device, pitch, 16, 4},
		.source_pos = {1, 0, 0},
		.extent = {4, 2, 2},
		.kind = CUDA_H2D};
	CHECK_OK(cudaMemcpy3D(&box));
	CHECK(device[0] == 1 && device[pitch * 4 + pitch] == 5 * 16 + 1);
	box.source_array = host;
	CHECK_RESULT(cudaMemcpy3D(&box), cudaErrorInvalidValue); /* both kinds of source */

	CHECK_OK(cudaMemcpyToSymbol(variable_shadow(), values, sizeof(values), 0, CUDA_H2D));
	CHECK_OK(cudaMemcpyFromSymbol(read, variable_shadow(), 8, 8, CUDA_D2H));
	CHECK(read[0] == 3 && read[1] == 4);
	CHECK_OK(cudaGetSymbolSize(&pitch, variable_shadow()));
	CHECK(pitch == sizeof(values));
	CHECK_RESULT(cudaMemcpyToSymbol(values, values, 4, 0, CUDA_H2D), cudaErrorInvalidSymbol);
	CHECK_RESULT(cudaMemcpyFromSymbol(read, variable_shadow(), 8, 12, CUDA_D2H),
		cudaErrorInvalidValue);
}
