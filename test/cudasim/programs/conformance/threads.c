/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

#define THREADS 4
#define ROUNDS  40
#define FORKS   60

static int failed_calls;

static void *use_device(void *unused)
{
	CUstream stream;
	CUevent event;
	char *device, *pinned;
	int failed = 0;
	(void)unused;
	failed += cudaStreamCreateWithFlags(&stream, CUDA_STREAM_NON_BLOCKING) != 0;
	failed += cudaMalloc((void **)&device, 4096) != 0;
	failed += cudaMallocHost((void **)&pinned, 4096) != 0;
	for (int i = 0; i < ROUNDS; i++) {
		launch_saxpy(1, (float *)(void *)device, (float *)(void *)device, 16, stream);
		failed += cudaMemcpyAsync(pinned, device, 4096, CUDA_D2H, stream) != 0;
		failed += cudaEventCreateWithFlags(&event, 0) != 0;
		failed += cudaEventRecord(event, stream) != 0;
		failed += cudaStreamSynchronize(stream) != 0;
		failed += cudaEventQuery(event) != 0;
		failed += cudaEventDestroy(event) != 0;
	}
	__atomic_add_fetch(&failed_calls, failed, __ATOMIC_RELAXED);
	return NULL;
}

/* Children of a process whose threads are in the middle of calls; none may hang or succeed. */
static int fork_children(void)
{
	int wrong = 0;
	for (int i = 0; i < FORKS; i++) {
		void *address;
		int status = -1;
		pid_t child = fork();
		if (child == 0)
			_exit(cudaMalloc(&address, 64) != cudaErrorInitializationError);
		waitpid(child, &status, 0);
		wrong += status != 0;
	}
	return wrong;
}

/* Each call of this process has one line, whole, and its number once. */
static void check_log(const char *path)
{
	static unsigned char seen[1 << 20];
	char line[4096], mine[32];
	unsigned long calls = 0, last = 0;
	int broken = 0, twice = 0, refused = 0;
	snprintf(mine, sizeof(mine), "\"pid\":%d,", getpid());
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		const char *number = strstr(line, "\"call\":");
		broken += line[0] != '{' || !strstr(line, "}\n");
		if (!strstr(line, mine)) {
			refused += strstr(line, "\"result\":3,") != NULL;
			continue;
		}
		if (!strstr(line, "\"type\":\"call\"") || !number)
			continue;
		unsigned long id = strtoul(number + 7, NULL, 10);
		twice += seen[id % sizeof(seen)]++;
		calls++;
		last = id > last ? id : last;
	}
	if (file)
		fclose(file);
	CHECK(calls > THREADS * ROUNDS * 7 && calls == last);
	CHECK(broken == 0 && twice == 0);
	CHECK(refused >= FORKS);
}

void group_threads(void)
{
	char path[] = "/tmp/cudasim-log-XXXXXX";
	pthread_t threads[THREADS];
	void (*dump_log)(void) = NULL;
	int file = mkstemp(path);
	CHECK(file >= 0);
	setenv("CUDASIM_LOG", path, 1);
	CHECK_OK(cudaFree(NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_create(&threads[i], NULL, use_device, NULL));
	CHECK(fork_children() == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(failed_calls == 0);
	void *symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cudasim_dump_log");
	CHECK(symbol != NULL);
	memcpy(&dump_log, &symbol, sizeof(symbol));
	if (dump_log)
		dump_log();
	check_log(path);
	close(file);
	unlink(path);
}

void group_no_device(void)
{
	int count = -1;
	void *address;
	CHECK_RESULT(cudaGetDeviceCount(&count), cudaErrorNoDevice);
	CHECK_RESULT(cudaMalloc(&address, 64), cudaErrorNoDevice);
	CHECK_RESULT(cudaGetLastError(), cudaErrorNoDevice);
}
