/* SPDX-License-Identifier: MIT */
/*
 * A stand-in runtime that only says which one it is: cudaMalloc fills in WHICH, every result is
 * RESULT. __cudaRegisterFunction notes what its caller must not get wrong: the group of its own
 * runtime.
 */
#include <stddef.h>
#include <stdint.h>

int cudaMalloc(void **address, size_t size);
int cudaStreamSynchronize(void *stream);
int cudaSetDevice(int device);
int cudaMemset(void *address, int value, size_t count);
void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name);
int cudaRuntimeFaults(void);

/* What a call does before it returns, if it returns. */
extern void (*cudaRuntimeEscape)(void);
void (*cudaRuntimeEscape)(void);

static void *group_of_this_runtime;
static int faults;

int cudaMalloc(void **address, size_t size)
{
	(void)size;
	*address = (void *)(uintptr_t)(WHICH * 4096);
	return RESULT;
}

int cudaStreamSynchronize(void *stream)
{
	(void)stream;
	if (cudaRuntimeEscape != NULL)
		cudaRuntimeEscape();
	return RESULT;
}

int cudaMemset(void *address, int value, size_t count)
{
	(void)address;
	(void)value;
	(void)count;
	return RESULT;
}

int cudaSetDevice(int device)
{
	(void)device;
	return RESULT;
}

void **__cudaRegisterFatBinary(void *fat)
{
	(void)fat;
	return &group_of_this_runtime;
}

void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name)
{
	(void)stub;
	(void)device;
	(void)name;
	faults += group != &group_of_this_runtime;
}

int cudaRuntimeFaults(void)
{
	return faults;
}
