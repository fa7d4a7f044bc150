/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "../core/kernel.h"
#include "../core/state.h"
#include "driver.h"

#define MAX_BLOCK_THREADS      1024
#define MULTIPROCESSOR_BLOCKS  32
#define MULTIPROCESSOR_THREADS 2048

/* Device code comes and goes with memory of the device, so all that runs there has to end. */
static void wait_for_device(struct sim_call *call)
{
	CUcontext context = context_current();
	if (!context)
		return;
	state_lock();
	struct sim_point point = context->latest;
	state_unlock();
	point_wait(call, point);
}

static int load(CUlibrary *ret_library, const void *image)
{
	if (!ret_library || !image)
		return cudaErrorInvalidValue;
	CUlibrary library = library_load(image);
	if (!library)
		return cudaErrorMemoryAllocation;
	*ret_library = library;
	return 0;
}

/* Device code is never read, so of a file only its existence counts. */
static int load_file(CUlibrary *ret_library, const char *path)
{
	static const uint64_t opaque[4];
	if (!path)
		return cudaErrorInvalidValue;
	return access(path, R_OK) ? cudaErrorFileNotFound : load(ret_library, opaque);
}

int sim_cuModuleLoad(struct sim_call *call, CUlibrary *ret_module, const char *path)
{
	wait_for_device(call);
	return load_file(ret_module, path);
}

int sim_cuModuleLoadData(struct sim_call *call, CUlibrary *ret_module, const void *image)
{
	wait_for_device(call);
	return load(ret_module, image);
}

int sim_cuModuleLoadDataEx(struct sim_call *call, CUlibrary *ret_module, const void *image,
	unsigned count, int *options, void **values)
{
	wait_for_device(call);
	(void)count;
	(void)options;
	(void)values;
	return load(ret_module, image);
}

int sim_cuModuleLoadFatBinary(struct sim_call *call, CUlibrary *ret_module, const void *image)
{
	wait_for_device(call);
	return load(ret_module, image);
}

int sim_cuLibraryLoadData(struct sim_call *call, CUlibrary *ret_library, const void *image,
	int *jit, void **jit_values, unsigned jit_count, int *options, void **values,
	unsigned count)
{
	(void)call;
	(void)jit;
	(void)jit_values;
	(void)jit_count;
	(void)options;
	(void)values;
	(void)count;
	return load(ret_library, image);
}

int sim_cuLibraryLoadFromFile(struct sim_call *call, CUlibrary *ret_library, const char *path,
	int *jit, void **jit_values, unsigned jit_count, int *options, void **values,
	unsigned count)
{
	(void)call;
	(void)jit;
	(void)jit_values;
	(void)jit_count;
	(void)options;
	(void)values;
	(void)count;
	return load_file(ret_library, path);
}

int sim_cuLibraryUnload(struct sim_call *call, CUlibrary library)
{
	if (!library_is_valid(library))
		return cudaErrorInvalidResourceHandle;
	wait_for_device(call);
	library_unload(library);
	return 0;
}

int sim_cuModuleUnload(struct sim_call *call, CUlibrary module)
{
	if (library_is_valid(module) && module->whole) /* goes with its library */
		return cudaErrorInvalidResourceHandle;
	return sim_cuLibraryUnload(call, module);
}

int sim_cuLibraryGetKernel(
	struct sim_call *call, CUkernel *ret_kernel, CUlibrary library, const char *name)
{
	if (!library_is_valid(library))
		return cudaErrorInvalidResourceHandle;
	if (!ret_kernel || !name)
		return cudaErrorInvalidValue;
	CUkernel kernel = library_kernel(library, name);
	if (!kernel)
		return cudaErrorSymbolNotFound;
	call->detail.set |= SIM_SET_TEXT;
	call->detail.name = kernel->name;
	*ret_kernel = kernel;
	return 0;
}

int sim_cuModuleGetFunction(
	struct sim_call *call, CUkernel *ret_function, CUlibrary module, const char *name)
{
	return sim_cuLibraryGetKernel(call, ret_function, module, name);
}

int sim_cuLibraryGetModule(struct sim_call *call, CUlibrary *ret_module, CUlibrary library)
{
	(void)call;
	if (!library_is_valid(library))
		return cudaErrorInvalidResourceHandle;
	*ret_module = library_module(library);
	return *ret_module ? 0 : cudaErrorMemoryAllocation;
}

int sim_cuLibraryGetGlobal(struct sim_call *call, CUdeviceptr *ret_address, size_t *ret_bytes,
	CUlibrary library, const char *name)
{
	(void)call;
	if (!library_is_valid(library))
		return cudaErrorInvalidResourceHandle;
	const struct global *global = name ? library_global(library, name) : NULL;
	if (!global)
		return cudaErrorSymbolNotFound;
	if (ret_address)
		*ret_address = (uintptr_t)global->address;
	if (ret_bytes)
		*ret_bytes = global->bytes;
	return 0;
}

int sim_cuModuleGetGlobal_v2(struct sim_call *call, CUdeviceptr *ret_address, size_t *ret_bytes,
	CUlibrary module, const char *name)
{
	return sim_cuLibraryGetGlobal(call, ret_address, ret_bytes, module, name);
}

int sim_cuModuleGetLoadingMode(struct sim_call *call, int *ret_mode)
{
	(void)call;
	*ret_mode = 2; /* lazy */
	return 0;
}

int sim_cuKernelGetFunction(struct sim_call *call, CUkernel *ret_function, CUkernel kernel)
{
	(void)call;
	if (!kernel_is_valid(kernel))
		return cudaErrorInvalidResourceHandle;
	*ret_function = kernel;
	return 0;
}

int sim_cuKernelGetLibrary(struct sim_call *call, CUlibrary *ret_library, CUkernel kernel)
{
	(void)call;
	if (!kernel_is_valid(kernel))
		return cudaErrorInvalidResourceHandle;
	*ret_library = kernel->library;
	return 0;
}

int sim_cuFuncGetModule(struct sim_call *call, CUlibrary *ret_module, CUkernel function)
{
	return sim_cuKernelGetLibrary(call, ret_module, function);
}

int sim_cuKernelGetName(struct sim_call *call, const char **ret_name, CUkernel kernel)
{
	(void)call;
	if (!kernel_is_valid(kernel))
		return cudaErrorInvalidResourceHandle;
	*ret_name = kernel->name;
	return 0;
}

int sim_cuFuncGetName(struct sim_call *call, const char **ret_name, CUkernel function)
{
	return sim_cuKernelGetName(call, ret_name, function);
}

/* Values of CUfunction_attribute for every kernel, unless the program has set them. */
static int default_attribute(int attribute)
{
	switch (attribute) {
	case 0: /* threads of a block */
		return MAX_BLOCK_THREADS;
	case 4: /* registers */
		return 32;
	case 5: /* version of PTX and of the binary */
	case 6:
		return 80;
	case 8: /* dynamic shared memory */
		return 49152;
	case 9: /* carve-out */
		return -1;
	default:
		return 0;
	}
}

int sim_cuFuncGetAttribute(struct sim_call *call, int *ret_value, int attribute, CUkernel function)
{
	(void)call;
	if (!kernel_is_valid(function))
		return cudaErrorInvalidResourceHandle;
	if (!ret_value || attribute < 0 || attribute > 15)
		return cudaErrorInvalidValue;
	*ret_value = function->attributes[attribute] ? function->attributes[attribute]
						     : default_attribute(attribute);
	return 0;
}

int sim_cuFuncSetAttribute(struct sim_call *call, CUkernel function, int attribute, int value)
{
	(void)call;
	if (!kernel_is_valid(function))
		return cudaErrorInvalidResourceHandle;
	if (attribute < 8 || attribute > 15)
		return cudaErrorInvalidValue;
	function->attributes[attribute] = value;
	return 0;
}

int sim_cuKernelGetAttribute(
	struct sim_call *call, int *ret_value, int attribute, CUkernel kernel, CUdevice device)
{
	(void)device;
	return sim_cuFuncGetAttribute(call, ret_value, attribute, kernel);
}

int sim_cuKernelSetAttribute(
	struct sim_call *call, int attribute, int value, CUkernel kernel, CUdevice device)
{
	(void)device;
	return sim_cuFuncSetAttribute(call, kernel, attribute, value);
}

int sim_cuFuncSetCacheConfig(struct sim_call *call, CUkernel function, int config)
{
	(void)call;
	(void)config;
	return kernel_is_valid(function) ? 0 : cudaErrorInvalidResourceHandle;
}

int sim_cuKernelSetCacheConfig(struct sim_call *call, CUkernel kernel, int config, CUdevice device)
{
	(void)device;
	return sim_cuFuncSetCacheConfig(call, kernel, config);
}

int sim_cuFuncIsLoaded(struct sim_call *call, int *ret_state, CUkernel function)
{
	(void)call;
	*ret_state = 1;
	return kernel_is_valid(function) ? 0 : cudaErrorInvalidResourceHandle;
}

int sim_cuFuncLoad(struct sim_call *call, CUkernel function)
{
	(void)call;
	return kernel_is_valid(function) ? 0 : cudaErrorInvalidResourceHandle;
}

/* By threads alone: registers and shared memory of opaque kernels are not known. */
int sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(struct sim_call *call, int *ret_blocks,
	CUkernel function, int block, size_t shared, unsigned flags)
{
	(void)call;
	(void)shared;
	(void)flags;
	if (!kernel_is_valid(function))
		return cudaErrorInvalidResourceHandle;
	if (!ret_blocks || block <= 0)
		return cudaErrorInvalidValue;
	int blocks = block > MAX_BLOCK_THREADS ? 0 : MULTIPROCESSOR_THREADS / block;
	*ret_blocks = blocks > MULTIPROCESSOR_BLOCKS ? MULTIPROCESSOR_BLOCKS : blocks;
	return 0;
}

int sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(
	struct sim_call *call, int *ret_blocks, CUkernel function, int block, size_t shared)
{
	return sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		call, ret_blocks, function, block, shared, 0);
}

int sim_cuOccupancyMaxPotentialBlockSize(struct sim_call *call, int *ret_grid, int *ret_block,
	CUkernel function, void *shared_of_block, size_t shared, int limit)
{
	(void)call;
	(void)shared_of_block;
	(void)shared;
	if (!kernel_is_valid(function))
		return cudaErrorInvalidResourceHandle;
	*ret_block = limit > 0 && limit < MAX_BLOCK_THREADS ? limit : MAX_BLOCK_THREADS;
	*ret_grid = 108 * (MULTIPROCESSOR_THREADS / *ret_block);
	return 0;
}
