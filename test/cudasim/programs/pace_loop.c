/* SPDX-License-Identifier: MIT */
/*
 * Training loops in which host and device are not at the same step, with the program's own stamps.
 *
 *	pace_loop MODE [STEPS]
 *	ahead     4 ms of kernels per step; the host asks for all of it at once and waits at the end
 *	half      the same, the host needs half as long for a step as the device
 *	logged    the same as ahead, the loss is read back after every tenth step
 *	turns     the host is the slower one at first, from the middle on it runs ahead
 *	full      58 kernels of 50 us per step: the host runs into the limit of the launch queue
 *	waits     the host waits for the device at the end of every step
 *	reads     the loss is read back in the middle of a step, and the host works on
 *
 * Prints when each step began on the host and, last, when the device had done everything, in ns of
 * CLOCK_MONOTONIC. The kernels' times are set here, in variables that are not yet set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.h"

#define BYTES 4096u
#define STEPS 60
#define MOST  1000
#define GRID  DIM3(16, 1, 1)
#define BLOCK DIM3(256, 1, 1)

KERNEL(forward, "_Z7forwardPKfPfi", (const void *x, void *y, int n), &x, &y, &n)
KERNEL(backward, "_Z8backwardPKfPfi", (const void *x, void *y, int n), &x, &y, &n)
KERNEL(update, "_Z6updatePfPKfi", (void *y, const void *x, int n), &y, &x, &n)
KERNELS(NULL, KERNEL_ENTRY(forward), KERNEL_ENTRY(backward), KERNEL_ENTRY(update))

#define MUST(call)                                                                                 \
	do {                                                                                       \
		int error_ = (call);                                                               \
		if (error_) {                                                                      \
			fprintf(stderr, "pace_loop: %s: %s\n", #call, cudaGetErrorString(error_)); \
			exit(4);                                                                   \
		}                                                                                  \
	} while (0)

static const struct mode {
	const char *name, *kernels;
	int layers;
	unsigned host_us, early_us; /* of a step; more of it in the first half of the steps */
	int log_every;              /* 0: never */
	int read_in, wait;
} modes[] = {
	{"ahead", "*=400us", 3, 100, 0, 0, 0, 0},
	{"half", "*=400us", 3, 2000, 0, 0, 0, 0},
	{"logged", "*=400us", 3, 100, 0, 10, 0, 0},
	{"turns", "*=400us", 3, 100, 6000, 0, 0, 0},
	{"full", "*=50us", 19, 0, 0, 0, 0, 0},
	{"waits", "*=400us", 3, 1000, 0, 0, 0, 1},
	{"reads", "*=400us", 3, 3000, 0, 0, 1, 0},
};

static char *input, *pinned;
static float *activations, *weights;
static CUstream stream;

static unsigned long long now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static void host_work(unsigned us)
{
	unsigned long long until = now_ns() + us * 1000ull;
	while (now_ns() < until)
		;
}

static void read_loss(void)
{
	float loss;
	MUST(cudaMemcpyAsync(&loss, activations, sizeof(loss), CUDA_D2H, stream));
	MUST(cudaStreamSynchronize(stream));
}

/* 3 kernels per layer, and one. */
static void step(const struct mode *mode, int number, int early)
{
	int layers = mode->layers, n = BYTES / 4;
	MUST(cudaMemcpyAsync(input, pinned, BYTES, CUDA_H2D, stream));
	for (int i = 0; i < 2 * layers; i++)
		LAUNCH(forward, GRID, BLOCK, 0, stream)(input, activations, n);
	if (mode->read_in)
		read_loss();
	for (int i = 0; i < layers; i++)
		LAUNCH(backward, GRID, BLOCK, 0, stream)(activations, weights, n);
	LAUNCH(update, GRID, BLOCK, 0, stream)(weights, activations, n);
	host_work(mode->host_us + (early ? mode->early_us : 0));
	if (mode->log_every > 0 && number % mode->log_every == mode->log_every - 1)
		read_loss();
	if (mode->wait)
		MUST(cudaDeviceSynchronize());
}

static int run(const struct mode *mode, int steps)
{
	static unsigned long long stamps[MOST + 1];
	setenv("CUDASIM_KERNELS", mode->kernels, 0);
	MUST(cudaMallocHost((void **)&pinned, BYTES));
	MUST(cudaMalloc((void **)&input, BYTES));
	MUST(cudaMalloc((void **)&activations, BYTES));
	MUST(cudaMalloc((void **)&weights, BYTES));
	MUST(cudaStreamCreate(&stream));
	for (int i = 0; i < steps; i++) {
		stamps[i] = now_ns();
		step(mode, i, i < steps / 2);
	}
	MUST(cudaDeviceSynchronize());
	stamps[steps] = now_ns();
	for (int i = 0; i <= steps; i++)
		printf("%llu\n", stamps[i]);
	return 0;
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : STEPS;
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0 && steps > 0 && steps <= MOST)
			return run(&modes[i], steps);
	fprintf(stderr, "usage: pace_loop MODE [STEPS]; MODE is one of");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		fprintf(stderr, " %s", modes[i].name);
	fprintf(stderr, "\n");
	return 2;
}
