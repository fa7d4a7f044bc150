/* SPDX-License-Identifier: MIT */
/*
 * Batches come through a pipe from a process that decodes them slowly, and go to the device.
 *
 * truth: class=io cause=idle_input rule=input-bound steps=60
 * truth: never=launch-bound
 * cudasim: CUDASIM_KERNELS=*=200us
 */
#include <unistd.h>

#include "stamps.h"

#define BYTES 32768

KERNEL(convolve, "_Z8convolvePfi", (void *y, int n), &y, &n)
KERNEL(pool, "_Z4poolPfi", (void *y, int n), &y, &n)
KERNELS(NULL, KERNEL_ENTRY(convolve), KERNEL_ENTRY(pool))

static void decode(int pipe)
{
	static char batch[BYTES];
	for (int i = 0; i < 60; i++) {
		usleep(9000);
		if (write(pipe, batch, sizeof(batch)) != (ssize_t)sizeof(batch))
			_exit(1);
	}
	_exit(0);
}

PART static void next_batch(int pipe, char *target) /* truth: here */
{
	stamps_mark();
	for (ssize_t got = 0, count; got < BYTES; got += count) {
		count = read(pipe, target + got, (size_t)(BYTES - got));
		if (count <= 0)
			exit(4);
	}
	stamps_spent("idle_input");
}

int main(void)
{
	int ends[2];
	char *pinned;
	void *images;
	if (pipe(ends))
		return 4;
	if (fork() == 0)
		decode(ends[1]);
	MUST(cudaMallocHost((void **)&pinned, BYTES));
	MUST(cudaMalloc(&images, BYTES));
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		next_batch(ends[0], pinned);
		MUST(cudaMemcpyAsync(images, pinned, BYTES, CUDA_H2D, NULL));
		for (int i = 0; i < 5; i++)
			LAUNCH(convolve, GRID, BLOCK, 0, NULL)(images, 64);
		LAUNCH(pool, GRID, BLOCK, 0, NULL)(images, 64);
		stamps_step();
	}
	stamps_end();
	return 0;
}
