/* SPDX-License-Identifier: MIT */
/*
 * Training loops whose bottleneck is known because it was put there.
 *
 *	train_loop MODE [STEPS]
 *	input_bound   the loader delivers a batch every 6 ms, the device needs 1.5 ms for it
 *	launch_bound  300 kernels of 2 us per step, each launch costs the host 20 us
 *	sync_bound    eight times per step one number is read back before the host goes on
 *	sync_mended   the same with longer kernels, read back every twentieth step only
 *	gpu_bound     8 ms of kernels per step, queued well ahead
 *	copy_bound    each batch is copied from pageable memory for 5 ms before the kernels
 *	healthy       batches are prefetched from pinned memory on a stream of their own
 *
 * Batches come through a pipe from a process that was forked before CUDA was used, so that waiting
 * for data is a read() that blocks. They are small, so that reading costs next to nothing where it
 * is not the loader that is slow; the copy engines get slow rates instead. The device's model is
 * set here, in variables that are not yet set. What was done is printed at the end and does not
 * depend on times.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"

#define BATCH_BYTES (64u * 1024u)
#define PIPE_BYTES  (1024 * 1024) /* some batches, so that a fast loader is ahead */

/* Parts of a step keep their names and calls, so that a report can name them. */
#define STEP_PART __attribute__((noipa))

KERNEL(conv_forward, "_Z12conv_forwardPKfPfi", (const void *x, void *y, int n), &x, &y, &n)
KERNEL(conv_backward, "_Z13conv_backwardPKfPfi", (const void *x, void *y, int n), &x, &y, &n)
KERNEL(relu, "_Z4reluPfi", (void *y, int n), &y, &n)
KERNEL(loss_mean, "_Z9loss_meanPKfPfi", (const void *x, void *y, int n), &x, &y, &n)
KERNEL(sgd_update, "_Z10sgd_updatePfPKffi", (void *y, const void *x, float rate, int n), &y, &x,
	&rate, &n)
KERNELS(NULL, KERNEL_ENTRY(conv_forward), KERNEL_ENTRY(conv_backward), KERNEL_ENTRY(relu),
	KERNEL_ENTRY(loss_mean), KERNEL_ENTRY(sgd_update))

/* Everything one loop owns, and what it has done so far. */
struct loop {
	int pipe;
	pid_t producer;
	int steps;
	char *pageable, *pinned[2], *device[2], *activations, *weights;
	float *loss;
	CUstream compute, copies;
	CUevent copied[2], used[2];
	long batches, kernels, uploads, downloads, waits;
};

static void fail(const char *what, int error)
{
	fprintf(stderr, "train_loop: %s: %s\n", what, cudaGetErrorString(error));
	exit(4);
}

#define MUST(call)                                                                                 \
	do {                                                                                       \
		int error_ = (call);                                                               \
		if (error_)                                                                        \
			fail(#call, error_);                                                       \
	} while (0)

static void sleep_us(unsigned us)
{
	struct timespec pause = {us / 1000000u, (long)(us % 1000000u) * 1000};
	nanosleep(&pause, NULL);
}

/* Work of the host that takes that long on a core. */
static void host_work(unsigned us)
{
	struct timespec now, begin;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec <
		(long)us * 1000);
}

/* The loader process: a batch into the pipe every so often, until nobody reads any more. */
static void produce(int pipe, unsigned batch_us, int batches)
{
	static char batch[BATCH_BYTES];
	for (int i = 0; i < batches; i++) {
		if (batch_us)
			sleep_us(batch_us);
		memset(batch, i, sizeof(batch));
		for (size_t sent = 0; sent < sizeof(batch);) {
			ssize_t count = write(pipe, batch + sent, sizeof(batch) - sent);
			if (count <= 0)
				_exit(1);
			sent += (size_t)count;
		}
	}
	_exit(0);
}

static void start_producer(struct loop *loop, unsigned batch_us)
{
	int ends[2];
	if (pipe(ends)) {
		perror("pipe");
		exit(4);
	}
	(void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* where it is refused: a smaller lead */
	loop->producer = fork();
	if (loop->producer == 0) {
		close(ends[0]);
		produce(ends[1], batch_us, loop->steps);
	}
	close(ends[1]);
	loop->pipe = ends[0];
}

STEP_PART static void load_batch(struct loop *loop, char *target)
{
	for (size_t got = 0; got < BATCH_BYTES;) {
		ssize_t count = read(loop->pipe, target + got, BATCH_BYTES - got);
		if (count <= 0) {
			fprintf(stderr, "train_loop: the loader ended early\n");
			exit(4);
		}
		got += (size_t)count;
	}
	loop->batches++;
}

static void set_up(struct loop *loop)
{
	loop->pageable = malloc(BATCH_BYTES);
	for (int i = 0; i < 2; i++) {
		MUST(cudaMallocHost((void **)&loop->pinned[i], BATCH_BYTES));
		MUST(cudaMalloc((void **)&loop->device[i], BATCH_BYTES));
		MUST(cudaEventCreateWithFlags(&loop->copied[i], CUDA_EVENT_DISABLE_TIMING));
		MUST(cudaEventCreateWithFlags(&loop->used[i], CUDA_EVENT_DISABLE_TIMING));
	}
	MUST(cudaMalloc((void **)&loop->activations, BATCH_BYTES));
	MUST(cudaMalloc((void **)&loop->weights, BATCH_BYTES));
	MUST(cudaMalloc((void **)&loop->loss, sizeof(float)));
	MUST(cudaStreamCreate(&loop->compute));
	MUST(cudaStreamCreateWithFlags(&loop->copies, CUDA_STREAM_NON_BLOCKING));
}

#define GRID  DIM3(256, 1, 1)
#define BLOCK DIM3(256, 1, 1)

static void upload(struct loop *loop, int slot, const char *source, CUstream stream)
{
	MUST(cudaMemcpyAsync(loop->device[slot], source, BATCH_BYTES, CUDA_H2D, stream));
	loop->uploads++;
}

/* layers forward and backward, the loss, one update. */
STEP_PART static void train_step(struct loop *loop, int slot, int layers)
{
	int n = BATCH_BYTES / 4;
	CUstream stream = loop->compute;
	for (int i = 0; i < layers; i++) {
		LAUNCH(conv_forward, GRID, BLOCK, 0, stream)
		(loop->device[slot], loop->activations, n);
		LAUNCH(relu, GRID, BLOCK, 0, stream)(loop->activations, n);
	}
	LAUNCH(loss_mean, DIM3(1, 1, 1), BLOCK, 1024, stream)(loop->activations, loop->loss, n);
	for (int i = 0; i < layers; i++)
		LAUNCH(conv_backward, GRID, BLOCK, 0, stream)(loop->activations, loop->weights, n);
	LAUNCH(sgd_update, GRID, BLOCK, 0, stream)(loop->weights, loop->activations, 0.1f, n);
	MUST(cudaGetLastError());
	loop->kernels += 3 * layers + 2;
}

/* What loss.item() does: four bytes back, and wait for them. */
STEP_PART static float read_loss(struct loop *loop)
{
	float loss = 0;
	MUST(cudaMemcpyAsync(&loss, loop->loss, sizeof(loss), CUDA_D2H, loop->compute));
	MUST(cudaStreamSynchronize(loop->compute));
	loop->downloads++;
	loop->waits++;
	return loss;
}

static void step_input_bound(struct loop *loop, int step)
{
	load_batch(loop, loop->pinned[0]);
	upload(loop, 0, loop->pinned[0], loop->compute);
	train_step(loop, 0, 4);
	if (step % 20 == 19)
		(void)read_loss(loop);
}

static void step_launch_bound(struct loop *loop, int step)
{
	load_batch(loop, loop->pinned[step % 2]);
	upload(loop, step % 2, loop->pinned[step % 2], loop->compute);
	train_step(loop, step % 2, 100);
	if (step % 20 == 19)
		(void)read_loss(loop);
}

static void step_sync_bound(struct loop *loop, int step)
{
	load_batch(loop, loop->pinned[step % 2]);
	upload(loop, step % 2, loop->pinned[step % 2], loop->compute);
	for (int i = 0; i < 8; i++) {
		train_step(loop, step % 2, 1);
		(void)read_loss(loop);
		host_work(400);
	}
}

/* The same work; the loss is read now and then, a buffer is awaited before it is written again. */
static void step_sync_mended(struct loop *loop, int step)
{
	load_batch(loop, loop->pinned[step % 2]);
	MUST(cudaEventSynchronize(loop->used[step % 2]));
	loop->waits++;
	upload(loop, step % 2, loop->pinned[step % 2], loop->compute);
	for (int i = 0; i < 8; i++) {
		train_step(loop, step % 2, 1);
		host_work(400);
	}
	MUST(cudaEventRecord(loop->used[step % 2], loop->compute));
	if (step % 20 == 19)
		(void)read_loss(loop);
}

static void step_gpu_bound(struct loop *loop, int step)
{
	load_batch(loop, loop->pinned[step % 2]);
	MUST(cudaEventSynchronize(loop->used[step % 2]));
	loop->waits++;
	upload(loop, step % 2, loop->pinned[step % 2], loop->compute);
	train_step(loop, step % 2, 4);
	MUST(cudaEventRecord(loop->used[step % 2], loop->compute));
}

static void step_copy_bound(struct loop *loop, int step)
{
	load_batch(loop, loop->pageable);
	upload(loop, 0, loop->pageable, loop->compute);
	train_step(loop, 0, 4);
	if (step % 20 == 19)
		(void)read_loss(loop);
}

/* Batch and copy of the next step are under way while this step computes. */
static void step_healthy(struct loop *loop, int step)
{
	int slot = step % 2;
	MUST(cudaEventSynchronize(loop->used[slot]));
	loop->waits++;
	load_batch(loop, loop->pinned[slot]);
	upload(loop, slot, loop->pinned[slot], loop->copies);
	MUST(cudaEventRecord(loop->copied[slot], loop->copies));
	MUST(cudaStreamWaitEvent(loop->compute, loop->copied[slot], 0));
	train_step(loop, slot, 4);
	MUST(cudaEventRecord(loop->used[slot], loop->compute));
	host_work(200);
	if (step % 30 == 29)
		(void)read_loss(loop);
}

static const struct mode {
	const char *name;
	void (*step)(struct loop *loop, int step);
	unsigned batch_us;
	const char *kernels, *copy, *launch;
} modes[] = {
	{"input_bound", step_input_bound, 6000, "*conv_*=150us;*=40us", NULL, NULL},
	{"launch_bound", step_launch_bound, 0, "*=2us", NULL, "20us"},
	{"sync_bound", step_sync_bound, 0, "*conv_*=150us;*=20us", NULL, NULL},
	{"sync_mended", step_sync_mended, 0, "*conv_*=400us;*=50us", NULL, NULL},
	{"gpu_bound", step_gpu_bound, 0, "*conv_*=900us;*=100us", NULL, NULL},
	{"copy_bound", step_copy_bound, 0, "*conv_*=150us;*=40us",
		"h2d=25MB/s;d2h=12GB/s;pageable=12.5MB/s;latency=2us", NULL},
	{"healthy", step_healthy, 2000, "*conv_*=700us;*=80us", "h2d=60MB/s;d2h=12GB/s", NULL},
};

static void set_model(const struct mode *mode)
{
	setenv("CUDASIM_KERNELS", mode->kernels, 0);
	if (mode->copy)
		setenv("CUDASIM_COPY", mode->copy, 0);
	if (mode->launch)
		setenv("CUDASIM_LAUNCH", mode->launch, 0);
}

static int run(const struct mode *mode, int steps)
{
	struct loop loop = {.steps = steps};
	int status = 0;
	set_model(mode);
	start_producer(&loop, mode->batch_us);
	set_up(&loop);
	for (int step = 0; step < steps; step++)
		mode->step(&loop, step);
	MUST(cudaDeviceSynchronize());
	waitpid(loop.producer, &status, 0);
	printf("%s: %d steps, %ld batches, %ld kernels, %ld uploads, %ld downloads, %ld waits\n",
		mode->name, steps, loop.batches, loop.kernels, loop.uploads, loop.downloads,
		loop.waits + 1);
	return status ? 4 : 0;
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 60;
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, argv[1]) == 0 && steps > 0)
			return run(&modes[i], steps);
	}
	fprintf(stderr, "usage: train_loop MODE [STEPS]; MODE is one of");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		fprintf(stderr, " %s", modes[i].name);
	fprintf(stderr, "\n");
	return 2;
}
