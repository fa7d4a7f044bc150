/* SPDX-License-Identifier: MIT */
/*
 * A thread reads blocks from slow storage into two pinned buffers; the one that feeds the GPU waits
 * for them on a condition variable.
 *
 * truth: class=io|cpu cause=idle_input|idle_blocked rule=input-bound|host-blocked steps=60
 * truth: never=launch-bound|sync-explicit
 * cudasim: CUDASIM_KERNELS=*=1ms
 */
#include <pthread.h>
#include <unistd.h>

#include "stamps.h"

#define BYTES (1 << 20)
#define STEPS 60

KERNEL(scale, "_Z5scalePfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(stencil, "_Z7stencilPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(sum_up, "_Z6sum_upPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(scale), KERNEL_ENTRY(stencil), KERNEL_ENTRY(sum_up))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void *buffer[2];
static int full[2];

static void *read_blocks(void *unused)
{
	for (int i = 0; i < STEPS; i++) {
		pthread_mutex_lock(&lock);
		while (full[i % 2])
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		usleep(12000);
		((char *)buffer[i % 2])[0] = (char)i;
		pthread_mutex_lock(&lock);
		full[i % 2] = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

PART static void *next_block(int i) /* truth: here */
{
	pthread_mutex_lock(&lock);
	while (!full[i % 2])
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return buffer[i % 2];
}

PART static void give_back(int i, CUevent copied)
{
	MUST(cudaEventSynchronize(copied));
	pthread_mutex_lock(&lock);
	full[i % 2] = 0;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	int n = BYTES / 4;
	void *block, *field, *sums;
	CUstream stream;
	CUevent copied;
	MUST(cudaMalloc(&block, BYTES));
	MUST(cudaMalloc(&field, BYTES));
	MUST(cudaMalloc(&sums, BYTES));
	MUST(cudaMallocHost(&buffer[0], BYTES));
	MUST(cudaMallocHost(&buffer[1], BYTES));
	MUST(cudaStreamCreate(&stream));
	MUST(cudaEventCreate(&copied));
	pthread_t reader;
	pthread_create(&reader, NULL, read_blocks, NULL);
	stamps_begin();
	for (int i = 0; i < STEPS; i++) {
		stamps_mark();
		void *data = next_block(i);
		stamps_spent("idle_input|idle_blocked");
		MUST(cudaMemcpyAsync(block, data, BYTES, CUDA_H2D, stream));
		MUST(cudaEventRecord(copied, stream));
		LAUNCH(scale, GRID, BLOCK, 0, stream)(field, block, n);
		LAUNCH(stencil, GRID, BLOCK, 0, stream)(sums, field, n);
		LAUNCH(sum_up, GRID, BLOCK, 0, stream)(field, sums, n);
		give_back(i, copied);
		stamps_step();
	}
	stamps_end();
	pthread_join(reader, NULL);
	return 0;
}
