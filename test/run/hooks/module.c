/* SPDX-License-Identifier: MIT */
/*
 * A library linked with one of the runtimes: registers a kernel when it is loaded and calls its
 * runtime.
 */
#include <stddef.h>
#include <stdint.h>

int cudaMalloc(void **address, size_t size);
void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name);
int cudaRuntimeFaults(void);
int module_which(void);

static __attribute__((constructor)) void begin(void)
{
	__cudaRegisterFunction(
		__cudaRegisterFatBinary(NULL), (const char *)module_which, NULL, "kernel");
}

/* Number of the runtime that answers, negative when it got another one's group. */
int module_which(void)
{
	void *address = NULL;
	int result = cudaMalloc(&address, 1);
	int which = (int)((uintptr_t)address / 4096);
	return result != which || cudaRuntimeFaults() != 0 ? -which - 1 : which;
}
