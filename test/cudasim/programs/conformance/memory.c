/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

static struct cuda_pointer_attributes attributes_of(const void *address)
{
	struct cuda_pointer_attributes attributes;
	memset(&attributes, 0x55, sizeof(attributes));
	CHECK_OK(cudaPointerGetAttributes(&attributes, address));
	return attributes;
}

static void check_attributes(void)
{
	char *device, *pinned, *managed, on_stack[64];
	CHECK_OK(cudaMalloc((void **)&device, 1000));
	CHECK_OK(cudaHostAlloc((void **)&pinned, 1000, 0));
	CHECK_OK(cudaMallocManaged((void **)&managed, 1000, 1));

	struct cuda_pointer_attributes a = attributes_of(device + 999);
	CHECK(a.type == CUDA_DEVICE && a.device == 0 && a.device_pointer == device + 999);
	CHECK(a.host_pointer == NULL);
	a = attributes_of(pinned + 1);
	CHECK(a.type == CUDA_HOST && a.device == 0);
	CHECK(a.host_pointer == pinned + 1 && a.device_pointer == pinned + 1);
	a = attributes_of(managed);
	CHECK(a.type == CUDA_MANAGED && a.device_pointer == managed && a.host_pointer == managed);
	a = attributes_of(on_stack);
	CHECK(a.type == CUDA_UNREGISTERED && a.device == -2 && a.device_pointer == NULL);
	CHECK(a.host_pointer == on_stack);
#if CUDART_MAJOR == 12
	/* The structure of CUDA 12 ends before the reserved words. */
	CHECK(a.reserved[0] == 0x5555555555555555);
#else
	CHECK(a.reserved[0] == 0 && a.reserved[7] == 0);
#endif
	CHECK(memcmp(device, on_stack, 0) == 0 && device[0] == 0 && device[999] == 0);
	CHECK_OK(cudaFree(device));
	CHECK_OK(cudaFree(managed));
	CHECK_OK(cudaFreeHost(pinned));
	CHECK_RESULT(cudaFreeHost(pinned), cudaErrorInvalidValue);
}

static void check_register(void)
{
	char *memory = malloc(8192);
	unsigned flags = 9;
	CHECK_OK(cudaHostRegister(memory, 8192, 0));
	CHECK(attributes_of(memory + 8191).type == CUDA_HOST);
	CHECK(attributes_of(memory + 8192).type == CUDA_UNREGISTERED);
	CHECK_RESULT(cudaHostRegister(memory + 100, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
	CHECK_OK(cudaHostGetFlags(&flags, memory));
	CHECK(flags == 0);
	CHECK_OK(cudaHostUnregister(memory));
	CHECK(attributes_of(memory).type == CUDA_UNREGISTERED);
	CHECK_RESULT(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
	free(memory);
}

static void check_amounts(void)
{
	size_t free_before, free_after, total;
	void *address, *again;
	CHECK_OK(cudaMemGetInfo(&free_before, &total));
	CHECK(total == 16ull << 30);
	CHECK_OK(cudaMalloc(&address, 1 << 20));
	CHECK_OK(cudaMemGetInfo(&free_after, &total));
	CHECK(free_before - free_after == 1 << 20);
	memset(address, 7, 1 << 20);
	CHECK_OK(cudaFree(address));
	CHECK_OK(cudaMalloc(&again, 1 << 20));
	CHECK(again == address && *(char *)again == 0);
	CHECK_OK(cudaFree(again));
	CHECK_OK(cudaMalloc(&address, 0));
	CHECK(address == NULL);
	CHECK_OK(cudaFree(NULL));
}

static void check_pools(void)
{
	CUmemoryPool pool = NULL;
	uint64_t used = 1, threshold = 4096, read = 0;
	void *address = NULL;
	CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK_OK(cudaMallocAsync(&address, 4096, NULL));
	CHECK_OK(cudaMemsetAsync(address, 1, 4096, NULL));
	CHECK_OK(cudaMemPoolGetAttribute(pool, 7, &used));
	CHECK(used == 4096);
	CHECK_OK(cudaFreeAsync(address, NULL));
	CHECK_OK(cudaMemPoolGetAttribute(pool, 7, &used));
	CHECK(used == 0);
	CHECK_OK(cudaMemPoolSetAttribute(pool, 4, &threshold));
	CHECK_OK(cudaMemPoolGetAttribute(pool, 4, &read));
	CHECK(read == threshold);
	CHECK_RESULT(cudaMemPoolGetAttribute(pool, 77, &read), cudaErrorInvalidValue);
}

void group_memory(void)
{
	check_attributes();
	check_register();
	check_amounts();
	check_pools();

	/* cudaFree waits for the device. */
	void *address;
	CHECK_OK(cudaMalloc(&address, 64));
	uint64_t begin = now_ns();
	launch_slow(NULL);
	CHECK_OK(cudaFree(address));
	CHECK(has_waited(begin, SLOW_NS));
}
