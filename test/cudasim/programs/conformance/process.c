/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

static int child_status(int (*run)(void))
{
	int status = -1;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(run());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int allocate(void)
{
	void *address;
	return cudaMalloc(&address, 64);
}

static int do_nothing(void)
{
	return 0;
}

/* A child may use CUDA only if its parent had not begun to. */
void group_fork(void)
{
	CHECK(child_status(allocate) == 0);
	CHECK_OK(allocate());
	CHECK(child_status(do_nothing) == 0);
	CHECK(child_status(allocate) == cudaErrorInitializationError);
	launch_slow(NULL);
	CHECK(child_status(allocate) == cudaErrorInitializationError);
	CHECK_OK(cudaDeviceSynchronize());
}

void group_entry(void)
{
	int (*get_count)(int *) = NULL;
	void *function = NULL, *per_thread = NULL;
	int count = 0, status = -1, version = 0;
	CHECK_OK(cudaGetDriverEntryPoint("cuDeviceGetCount", &function, 0, &status));
	CHECK(status == 0 && function);
	memcpy(&get_count, &function, sizeof(function));
	CHECK_OK(get_count(&count));
	CHECK(count == 1);
	CHECK_OK(cudaGetDriverEntryPoint("cuNoSuchFunction", &function, 0, &status));
	CHECK(status == 1 && function == NULL);
	CHECK_OK(cudaGetDriverEntryPointByVersion(
		"cuLibraryLoadData", &function, 11000, 0, &status));
	CHECK(status == 2 && function == NULL);
	CHECK_OK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &function, 12000, 0, &status));
	CHECK_OK(
		cudaGetDriverEntryPointByVersion("cuLaunchKernel", &per_thread, 12000, 2, &status));
	CHECK(function && per_thread && function != per_thread);
	CHECK_OK(cudaGetDriverEntryPoint_ptsz("cuLaunchKernel", &function, 0, &status));
	CHECK(function == per_thread);
	CHECK_OK(cudaRuntimeGetVersion(&version));
	CHECK(version == (CUDART_MAJOR == 12 ? 12080 : 13020));
	CHECK_OK(cudaDriverGetVersion(&version));
	CHECK(version == (CUDART_MAJOR == 12 ? 12080 : 13020));
}

static int count_lines(const char *path, const char *first, const char *second)
{
	char line[4096];
	int count = 0;
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (strstr(line, first) && strstr(line, second))
			count++;
		CHECK(line[0] == '{' && line[strlen(line) - 1] == '\n');
	}
	if (file)
		fclose(file);
	return count;
}

/* The truth log has each call once, with what it asked for, and each operation. */
void group_log(void)
{
	char path[] = "/tmp/cudasim-log-XXXXXX", *host, *device;
	int file = mkstemp(path);
	CHECK(file >= 0);
	setenv("CUDASIM_LOG", path, 1);
	setenv("CUDASIM_LOG_FLUSH", "0", 1);
	CHECK_OK(cudaMalloc((void **)&device, 4096));
	CHECK_OK(cudaMallocHost((void **)&host, 4096));
	CHECK_OK(cudaMemcpyAsync(device, host, 4096, CUDA_H2D, NULL));
	launch_mid(NULL);
	CHECK_RESULT(cudaSetDevice(9), cudaErrorInvalidDevice);
	CHECK_OK(cudaStreamSynchronize(NULL));
	CHECK(count_lines(path, "\"function\":\"cudaMemcpyAsync\"",
		      "\"kind\":\"h2d\",\"bytes\":4096,"
		      "\"source\":\"pinned\",\"target\":\"device\"") == 1);
	CHECK(count_lines(path, "\"function\":\"cuMemcpyHtoDAsync_v2\"", "\"parent\":") == 1);
	CHECK(count_lines(path, "\"op\":\"memcpy\"", "\"stream\":7,\"kind\":\"h2d\"") == 1);
	CHECK(count_lines(path, "\"op\":\"kernel\"",
		      "\"kernel\":\"mid\",\"grid\":[4,2,1],"
		      "\"block\":[64,2,1],\"shared\":256") == 1);
	CHECK(count_lines(path,
		      CUDART_MAJOR == 12 ? "\"function\":\"cudaLaunchKernel\""
					 : "\"function\":\"__cudaLaunchKernel\"",
		      "\"kernel\":\"mid\"") == 1);
	CHECK(count_lines(path, "\"function\":\"cudaSetDevice\"", "\"result\":101") == 1);
	CHECK(count_lines(path, "\"function\":\"cudaStreamSynchronize\"", "\"waits\":true") == 1);
	close(file);
	unlink(path);
}

void group_devices(void)
{
	int count = 0, device = -1, can = -1;
	void *first, *second;
	struct cuda_pointer_attributes attributes;
	CHECK_OK(cudaGetDeviceCount(&count));
	CHECK(count == 2);
	CHECK_OK(cudaMalloc(&first, 64));
	CHECK_OK(cudaSetDevice(1));
	CHECK_OK(cudaGetDevice(&device));
	CHECK(device == 1);
	CHECK_OK(cudaMalloc(&second, 64));
	CHECK_OK(cudaPointerGetAttributes(&attributes, second));
	CHECK(attributes.device == 1);
	CHECK_OK(cudaPointerGetAttributes(&attributes, first));
	CHECK(attributes.device == 0);
	CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
	CHECK(can == 1);
	uint64_t begin = now_ns();
	launch_slow(NULL);
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaDeviceEnablePeerAccess(0, 0));
	CHECK(has_waited(begin, SLOW_NS));
	CHECK_RESULT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
	memset(first, 3, 64);
	CHECK_OK(cudaMemcpyPeer(second, 1, first, 0, 64));
	CHECK(((char *)second)[63] == 3);
	/* Each device has its own default stream. */
	begin = now_ns();
	launch_slow(NULL);
	CHECK_OK(cudaSetDevice(0));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaSetDevice(1));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(has_waited(begin, SLOW_NS));
}
