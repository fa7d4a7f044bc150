/* SPDX-License-Identifier: MIT */
/*
 * Work for the device in every form that leaves records, by the CUDA runtime, and an end of every
 * kind. Prints what it computed and how its children ended, nothing that depends on time.
 *
 * usage: work END [COUNT]
 *	exit _exit quick_exit      leave main so
 *	other                      exit() by another thread
 *	exec                       run a program that is not there, go on, become one that prints
 *	reset                      work, cudaDeviceReset with records not delivered yet, work again
 *	fork COUNT                 children that touch CUDA and leave in every way, between launches
 *	long COUNT                 so many rounds, a line after each, then exit
 *	fresh                      fork before CUDA is used; only the child uses it
 *	threads COUNT              so many threads at once, a stream each
 *	toggle COUNT               blocks of 20 launches, SIGUSR1 after each if it is traced
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/cudasim/programs/kernel.h"

#define BYTES       65536u
#define ROUNDS      4
#define THREADS_MAX 64

KERNEL(scale, "_Z5scalePfi", (void *data, int count), &data, &count)
KERNEL(reduce, "_Z6reducePKfPfi", (void *from, void *to, int count), &from, &to, &count)
KERNELS(NULL, KERNEL_ENTRY(scale), KERNEL_ENTRY(reduce))

static unsigned sum_of(const unsigned char *bytes)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < BYTES; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

static void graph(CUstream stream, void *a, void *b)
{
	CUgraph made;
	CUgraphExec exec;
	if (cudaStreamBeginCapture(stream, 2))
		return;
	LAUNCH(scale, DIM3(3, 2, 1), DIM3(32, 1, 1), 0, stream)(a, 5);
	(void)cudaMemsetAsync(b, 7, 256, stream);
	LAUNCH(reduce, DIM3(9, 1, 1), DIM3(64, 2, 1), 128, stream)(a, b, 5);
	if (cudaStreamEndCapture(stream, &made) || cudaGraphInstantiate(&exec, made, 0))
		return;
	for (int i = 0; i < 3; i++)
		(void)cudaGraphLaunch(exec, stream);
	(void)cudaStreamSynchronize(stream);
	(void)cudaGraphExecDestroy(exec);
	(void)cudaGraphDestroy(made);
}

/* A capture on one thread makes copies of another fail. */
static bool captures = true;

static unsigned work(int rounds)
{
	void *a, *b, *pinned;
	CUstream stream;
	CUevent event;
	unsigned char *host = malloc(BYTES);
	unsigned sum = 0;
	if (host == NULL || cudaMalloc(&a, BYTES) || cudaMalloc(&b, BYTES) ||
		cudaMallocHost(&pinned, BYTES) || cudaStreamCreate(&stream) ||
		cudaEventCreate(&event))
		return 0;
	for (int i = 0; i < rounds; i++) {
		memset(pinned, i + 1, BYTES);
		(void)cudaMemcpyAsync(a, pinned, BYTES, 1, stream);
		LAUNCH(scale, DIM3(64, 2, 3), DIM3(128, 2, 1), 512, stream)(a, i);
		(void)cudaMemsetAsync(b, i, BYTES / 2, stream);
		(void)cudaMemcpyAsync(b, a, BYTES / 4, 3, stream);
		LAUNCH(reduce, DIM3(17, 1, 1), DIM3(256, 1, 1), 0, NULL)(a, b, i);
		(void)cudaEventRecord(event, stream);
		(void)cudaStreamWaitEvent(stream, event, 0);
		(void)cudaMemcpy(host, b, BYTES, 2);
		sum = sum * 7 + sum_of(host);
		(void)cudaMemset(b, 3, 1024);
		if (captures)
			graph(stream, a, b);
		(void)cudaEventSynchronize(event);
	}
	(void)cudaDeviceSynchronize();
	(void)cudaEventDestroy(event);
	(void)cudaStreamDestroy(stream);
	(void)cudaFreeHost(pinned);
	(void)cudaFree(a);
	(void)cudaFree(b);
	free(host);
	return sum;
}

static void child(int number)
{
	void *address;
	int error = cudaMalloc(&address, 16);
	fflush(stdout);
	switch (number % 4) {
	case 0:
		_exit(error != 0);
	case 1:
		exit(error != 0);
	case 2:
		quick_exit(error != 0);
	default:
		execl("/bin/sh", "sh", "-c", error ? "exit 1" : "exit 0", (char *)NULL);
		_exit(9);
	}
}

static void forks(int count)
{
	int statuses[4] = {0};
	for (int i = 0; i < count; i++) {
		LAUNCH(scale, DIM3(1, 1, 1), DIM3(32, 1, 1), 0, NULL)(NULL, i);
		fflush(stdout);
		pid_t pid = fork();
		int status = -1;
		if (pid == 0)
			child(i);
		(void)waitpid(pid, &status, 0);
		statuses[WIFEXITED(status) && WEXITSTATUS(status) < 3 ? WEXITSTATUS(status) : 3]++;
	}
	printf("children: %d %d %d %d\n", statuses[0], statuses[1], statuses[2], statuses[3]);
}

static void *run_thread(void *sum)
{
	*(unsigned *)sum = work(ROUNDS);
	return NULL;
}

static void threads(int count)
{
	pthread_t made[THREADS_MAX];
	unsigned sums[THREADS_MAX], all = 0;
	captures = false;
	for (int i = 0; i < count; i++)
		(void)pthread_create(&made[i], NULL, run_thread, &sums[i]);
	for (int i = 0; i < count; i++) {
		(void)pthread_join(made[i], NULL);
		all |= sums[i] != sums[0];
	}
	printf("threads: %u\n", all);
}

/* Nothing waits in between, so that the device is behind. */
static void toggle(int count)
{
	bool traced = getenv("LD_PRELOAD") != NULL;
	CUstream stream;
	if (cudaStreamCreate(&stream))
		return;
	for (int i = 0; i < count; i++) {
		for (int j = 0; j < 20; j++)
			LAUNCH(scale, DIM3(64, 1, 1), DIM3(128, 1, 1), 0, stream)(NULL, j);
		if (traced)
			(void)raise(SIGUSR1);
	}
	printf("toggle: %d\n", cudaStreamSynchronize(stream));
}

static void *exit_thread(void *unused)
{
	(void)unused;
	exit(3);
}

static int end_by(const char *how)
{
	pthread_t thread;
	fflush(stdout);
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(5);
	if (strcmp(how, "other") == 0 && pthread_create(&thread, NULL, exit_thread, NULL) == 0)
		for (;;)
			pause();
	if (strcmp(how, "exec") == 0) {
		printf("exec: %d\n", execl("/no/such/program", "none", (char *)NULL));
		printf("%u\n", work(1));
		fflush(stdout);
		execl("/bin/sh", "sh", "-c", "echo another; exit 6", (char *)NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	int count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
	if (strcmp(how, "fresh") == 0) {
		pid_t pid = fork();
		if (pid == 0) {
			printf("%u\n", work(ROUNDS));
			return 0;
		}
		(void)waitpid(pid, NULL, 0);
		return 0;
	}
	printf("%u\n", work(ROUNDS));
	if (strcmp(how, "reset") == 0) {
		printf("reset: %d\n", cudaDeviceReset());
		printf("%u\n", work(ROUNDS));
	}
	if (strcmp(how, "fork") == 0)
		forks(count);
	if (strcmp(how, "toggle") == 0)
		toggle(count);
	if (strcmp(how, "threads") == 0)
		threads(count < THREADS_MAX ? count : THREADS_MAX);
	for (int i = 0; strcmp(how, "long") == 0 && i < count; i++) {
		printf("%u\n", work(1));
		fflush(stdout);
	}
	return end_by(how);
}
