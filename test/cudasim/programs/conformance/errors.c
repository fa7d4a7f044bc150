/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "conformance.h"

/* Each call that fails sets the thread's last error; reading it clears it, peeking does not. */
void group_errors(void)
{
	void *address = NULL;
	int value = 0;
	CHECK_OK(cudaGetLastError());
	CHECK_RESULT(cudaSetDevice(5), cudaErrorInvalidDevice);
	CHECK_RESULT(cudaPeekAtLastError(), cudaErrorInvalidDevice);
	CHECK_RESULT(cudaGetLastError(), cudaErrorInvalidDevice);
	CHECK_OK(cudaGetLastError());

	CHECK_RESULT(cudaMalloc(&address, 65u << 20), cudaErrorMemoryAllocation);
	CHECK_OK(cudaMalloc(&address, 60u << 20));
	CHECK_RESULT(cudaGetLastError(), cudaErrorMemoryAllocation); /* success does not clear it */
	CHECK_OK(cudaFree(address));
	CHECK_RESULT(cudaFree(address), cudaErrorInvalidValue);
	CHECK_RESULT(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
	CHECK_RESULT(cudaGetLastError(), cudaErrorInvalidValue);

	CHECK_RESULT(cudaDeviceGetAttribute(&value, 75, 3), cudaErrorInvalidDevice);
	CHECK_RESULT(
		cudaStreamSynchronize((CUstream)(void *)&address), cudaErrorInvalidResourceHandle);
	(void)cudaGetLastError();
	CHECK(strcmp(cudaGetErrorName(2), "cudaErrorMemoryAllocation") == 0);
	CHECK(strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
	CHECK(strcmp(cudaGetErrorString(0), "no error") == 0);
	CHECK(strcmp(cudaGetErrorName(12345), "unrecognized error code") == 0);
	CHECK_OK(cudaGetLastError()); /* asking for a name is no error */
}

/* The second cudaStreamSynchronize fails with an error that sticks. */
void group_sticky(void)
{
	void *address;
	CHECK_OK(cudaMalloc(&address, 64));
	CHECK_OK(cudaStreamSynchronize(NULL));
	CHECK_RESULT(cudaStreamSynchronize(NULL), cudaErrorIllegalAddress);
	CHECK_RESULT(cudaGetLastError(), cudaErrorIllegalAddress);
	CHECK_RESULT(cudaGetLastError(), cudaErrorIllegalAddress);
	CHECK_RESULT(cudaMalloc(&address, 64), cudaErrorIllegalAddress);
	CHECK_RESULT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	launch_slow(NULL);
	CHECK_RESULT(cudaPeekAtLastError(), cudaErrorIllegalAddress);
	CHECK_RESULT(cudaEventCreateWithFlags(&(CUevent){NULL}, 0), cudaErrorIllegalAddress);
	CHECK_OK(cudaDeviceReset());
	(void)cudaGetLastError();
	CHECK_OK(cudaGetLastError());
	CHECK_OK(cudaMalloc(&address, 64));
}

/* The second cudaMalloc, the first cuMemcpyDtoHAsync_v2 and every cudaEventCreate fail. */
void group_faults(void)
{
	void *address;
	int value = 0;
	CUevent event;
	CHECK_OK(cudaMalloc(&address, 64));
	void *kept = address;
	CHECK_RESULT(cudaMalloc(&address, 64), cudaErrorMemoryAllocation);
	CHECK(address == kept);
	CHECK_OK(cudaMalloc(&address, 64));
	CHECK_RESULT(cudaMemcpyAsync(&value, kept, 4, CUDA_D2H, NULL), cudaErrorUnknown);
	CHECK_OK(cudaMemcpyAsync(&value, kept, 4, CUDA_D2H, NULL));
	CHECK_RESULT(cudaEventCreate(&event), cudaErrorInvalidValue);
	CHECK_RESULT(cudaEventCreate(&event), cudaErrorInvalidValue);
	CHECK_OK(cudaEventCreateWithFlags(&event, 0));
}
