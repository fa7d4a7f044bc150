/* SPDX-License-Identifier: MIT */
/*
 * Kernels of a C program, made the way nvcc makes them: a host stub for each, registered under
 * its address when the program starts, and launched through the stub.
 *
 *	KERNEL(scale, "_Z5scalePfi", (float *data, int count), &data, &count)
 *	KERNELS(NULL, KERNEL_ENTRY(scale), ...)
 *	LAUNCH(scale, grid, block, shared, stream)(data, count);
 *
 * A stub compiled for CUDA 12 calls cudaLaunchKernel; for CUDA 13 it asks for the kernel's handle
 * once and calls __cudaLaunchKernel, as programs of those compilers do. The first argument of
 * KERNELS is a struct cudasim_image (core/sim.h) that gives kernels an effect, or NULL.
 */
#ifndef CUDASIM_PROGRAMS_KERNEL_H
#define CUDASIM_PROGRAMS_KERNEL_H

#include "cuda_api.h"

void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
	int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
	size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(
	struct dim3 grid, struct dim3 block, size_t shared, CUstream stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream);

struct kernel_entry {
	const void *stub; /* a variable's shadow when bytes is not 0 */
	const char *name;
	size_t bytes;
};

struct kernel_wrapper {
	unsigned magic, version;
	const void *data;
	void *unused;
};

/* The second half of a stub. Results go to cudaGetLastError, as with nvcc. */
static inline void kernel_launch(const void *stub, CUkernel *handle, void **args)
{
	struct dim3 grid, block;
	size_t shared;
	CUstream stream;
	if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream))
		return;
#if CUDART_MAJOR == 12
	(void)handle;
	(void)cudaLaunchKernel(stub, grid, block, args, shared, stream);
#else
	if (!*handle && __cudaGetKernel(handle, stub))
		return;
	(void)__cudaLaunchKernel(*handle, grid, block, args, shared, stream);
#endif
}

static inline void **kernel_register(
	struct kernel_wrapper *wrapper, const struct kernel_entry *entries, size_t count)
{
	void **handle = __cudaRegisterFatBinary(wrapper);
	for (size_t i = 0; i < count; i++) {
		const struct kernel_entry *entry = &entries[i];
		if (entry->bytes)
			__cudaRegisterVar(handle, (char *)(uintptr_t)entry->stub, NULL, entry->name,
				0, entry->bytes, 0, 0);
		else
			__cudaRegisterFunction(handle, entry->stub, (char *)(uintptr_t)entry->name,
				entry->name, -1, NULL, NULL, NULL, NULL, NULL);
	}
	__cudaRegisterFatBinaryEnd(handle);
	return handle;
}

/* clang-format off */
#define KERNEL(stub, mangled, params, ...)                                                         \
	static const char *const stub##_name = mangled;                                            \
	__attribute__((noinline)) static void stub params                                          \
	{                                                                                          \
		static CUkernel handle;                                                            \
		void *args[] = {__VA_ARGS__};                                                      \
		kernel_launch((const void *)(uintptr_t)stub, &handle, args);                       \
	}

#define KERNEL_ENTRY(stub) {(const void *)(uintptr_t)stub, stub##_name, 0}
#define VARIABLE_ENTRY(variable) {&variable, #variable, sizeof(variable)}

#define KERNELS(image, ...)                                                                        \
	static struct kernel_wrapper kernel_wrapper = {0x466243b1, 1, image, NULL};                \
	static void **kernel_handle;                                                               \
	__attribute__((constructor)) static void kernels_register(void)                            \
	{                                                                                          \
		const struct kernel_entry entries[] = {__VA_ARGS__};                               \
		kernel_handle = kernel_register(&kernel_wrapper, entries,                          \
			sizeof(entries) / sizeof(entries[0]));                                     \
	}                                                                                          \
	__attribute__((destructor)) static void kernels_unregister(void)                           \
	{                                                                                          \
		__cudaUnregisterFatBinary(kernel_handle);                                          \
	}

#define DIM3(...) ((struct dim3){__VA_ARGS__})
#define LAUNCH(stub, grid, block, shared, stream)                                                  \
	(__cudaPushCallConfiguration(grid, block, shared, stream)) ? (void)0 : stub
/* clang-format on */

#endif
