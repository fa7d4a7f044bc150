/* SPDX-License-Identifier: MIT */
/* A stand-in runtime that does nothing and keeps errno: what changes is not its work. */
#include <stddef.h>
#include <stdint.h>

struct grid {
	unsigned x, y, z;
};

int cudaMalloc(void **address, size_t size);
int cudaFree(void *address);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemset(void *address, int value, size_t count);
int cudaLaunchKernel(const void *function, struct grid grid, struct grid block, void **arguments,
	size_t shared, void *stream);
int cudaStreamSynchronize(void *stream);
int cudaSetDevice(int device);
int attackOwner(void **ret_address);

static int here; /* of this copy of the library */

int attackOwner(void **ret_address)
{
	*ret_address = &here;
	return 0;
}

int cudaMalloc(void **address, size_t size)
{
	(void)size;
	*address = (void *)(uintptr_t)0x700000000000;
	return 0;
}

int cudaFree(void *address)
{
	(void)address;
	return 0;
}

int cudaMemcpy(void *to, const void *from, size_t size, int kind)
{
	(void)to;
	(void)from;
	(void)size;
	(void)kind;
	return 0;
}

int cudaMemset(void *address, int value, size_t count)
{
	if (value == 0x77 && count == sizeof(void *))
		*(void **)address = &here;
	return 0;
}

int cudaLaunchKernel(const void *function, struct grid grid, struct grid block, void **arguments,
	size_t shared, void *stream)
{
	(void)function;
	(void)grid;
	(void)block;
	(void)arguments;
	(void)shared;
	(void)stream;
	return 0;
}

int cudaStreamSynchronize(void *stream)
{
	(void)stream;
	return 0;
}

int cudaSetDevice(int device)
{
	(void)device;
	return 0;
}
