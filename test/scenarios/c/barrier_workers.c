/* SPDX-License-Identifier: MIT */
/*
 * Three threads, each with a stream, compute parts of a block between two barriers; the main
 * thread, which asks nothing of the device, fetches the block from a service before, and reduces
 * the parts after: two causes.
 *
 * truth: class=io|cpu cause=idle_input|idle_host|idle_blocked|idle_sync steps=60
 * truth: rule=input-bound|host-blocked|host-native|host-python|sync-explicit
 * truth: never=launch-bound|alloc-churn|host-gil|sync-scalar-read
 * cudasim: CUDASIM_KERNELS=*=600us
 */
#include <pthread.h>
#include <unistd.h>

#include "stamps.h"

#define BYTES 16384
#define STEPS 60
#define PARTS 3

KERNEL(scatter, "_Z7scatterPfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNEL(collide, "_Z7collidePfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(scatter), KERNEL_ENTRY(collide))

static pthread_barrier_t begin, end;
static char *block;
static float *result;

static void serve(int requests, int answers)
{
	static char data[BYTES];
	char which;
	while (read(requests, &which, 1) == 1) {
		usleep(6000);
		if (write(answers, data, sizeof(data)) != (ssize_t)sizeof(data))
			break;
	}
	_exit(0);
}

PART static int await_block(void) /* truth: or here */
{
	int last = pthread_barrier_wait(&begin);
	return last ? 1 : 0;
}

static void *compute_part(void *argument) /* truth: or here */
{
	int part = (int)(long)argument, bytes = BYTES / PARTS;
	void *x, *y;
	CUstream stream;
	MUST(cudaMalloc(&x, (size_t)bytes));
	MUST(cudaMalloc(&y, (size_t)bytes));
	MUST(cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING));
	for (int step = 0; step < STEPS; step++) {
		(void)await_block();
		MUST(cudaMemcpyAsync(x, block + part * bytes, (size_t)bytes, CUDA_H2D, stream));
		for (int i = 0; i < 5; i++)
			LAUNCH(collide, GRID, BLOCK, 0, stream)(y, x, bytes / 4);
		LAUNCH(scatter, GRID, BLOCK, 0, stream)(x, y, bytes / 4);
		MUST(cudaMemcpyAsync(result + part, x, 4, CUDA_D2H, stream));
		MUST(cudaStreamSynchronize(stream));
		pthread_barrier_wait(&end);
	}
	return NULL;
}

PART static void fetch_block(int requests, int answers) /* truth: or here */
{
	stamps_mark();
	if (write(requests, "n", 1) != 1)
		exit(4);
	for (ssize_t got = 0, count; got < BYTES; got += count) {
		count = read(answers, block + got, (size_t)(BYTES - got));
		if (count <= 0)
			exit(4);
	}
	stamps_spent("idle_input|idle_blocked");
}

PART static float reduce_parts(void) /* truth: or here */
{
	stamps_mark();
	host_work(6000);
	stamps_spent("idle_host|idle_blocked");
	return result[0] + result[1] + result[2];
}

int main(void)
{
	int requests[2], answers[2];
	float sum = 0;
	pthread_t threads[PARTS];
	if (pipe(requests) || pipe(answers))
		return 4;
	if (fork() == 0) {
		close(requests[1]);
		serve(requests[0], answers[1]);
	}
	pthread_barrier_init(&begin, NULL, PARTS + 1);
	pthread_barrier_init(&end, NULL, PARTS + 1);
	MUST(cudaMallocHost((void **)&block, BYTES));
	MUST(cudaMallocHost((void **)&result, 64));
	for (long i = 0; i < PARTS; i++)
		if (pthread_create(&threads[i], NULL, compute_part, (void *)i))
			return 4;
	stamps_begin();
	for (int step = 0; step < STEPS; step++) {
		fetch_block(requests[1], answers[0]);
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		sum += reduce_parts();
		stamps_step();
	}
	for (int i = 0; i < PARTS; i++)
		pthread_join(threads[i], NULL);
	stamps_end();
	printf("%f\n", (double)sum);
	return 0;
}
