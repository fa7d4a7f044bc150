/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "registry.h"
#include "runtime.h"

#define MAX_CONFIGURATIONS 16
#define MAX_DEVICES        16

/* What <<<...>>> pushes and the host stub pops. */
static __thread struct configuration {
	struct dim3 grid, block;
	size_t shared;
	CUstream stream;
} configurations[MAX_CONFIGURATIONS];
static __thread unsigned configuration_count;

CUDA_EXPORT unsigned __cudaPushCallConfiguration(
	struct dim3 grid, struct dim3 block, size_t shared, CUstream stream);
unsigned __cudaPushCallConfiguration(
	struct dim3 grid, struct dim3 block, size_t shared, CUstream stream)
{
	if (configuration_count == MAX_CONFIGURATIONS)
		return 1;
	configurations[configuration_count++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

CUDA_EXPORT int __cudaPopCallConfiguration(
	struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream)
{
	if (configuration_count == 0)
		return cudaErrorMissingConfiguration;
	const struct configuration *top = &configurations[--configuration_count];
	*grid = top->grid;
	*block = top->block;
	*shared = top->shared;
	*(CUstream *)stream = top->stream;
	return 0;
}

/* The driver calls a bad size an invalid value; the runtime has an error of its own for it. */
static int check_size(struct dim3 grid, struct dim3 block)
{
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	if (threads == 0 || threads > 1024 || block.z > 64)
		return cudaErrorInvalidConfiguration;
	if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535 ||
		grid.x > INT32_MAX)
		return cudaErrorInvalidConfiguration;
	return 0;
}

static int launch(struct sim_call *call, CUkernel kernel, struct dim3 grid, struct dim3 block,
	void **args, size_t shared, CUstream stream)
{
	int result = check_size(grid, block);
	if (result)
		return result;
	return driver.cuLaunchKernel[call->per_thread](kernel, grid.x, grid.y, grid.z, block.x,
		block.y, block.z, (unsigned)shared, stream, args, NULL);
}

int rt_cudaLaunchKernel(struct sim_call *call, const void *function, struct dim3 grid,
	struct dim3 block, void **args, size_t shared, CUstream stream)
{
	CUkernel kernel;
	int result = registry_kernel(function, &kernel);
	return result ? result : launch(call, kernel, grid, block, args, shared, stream);
}

int rt___cudaLaunchKernel(struct sim_call *call, CUkernel kernel, struct dim3 grid,
	struct dim3 block, void **args, size_t shared, CUstream stream)
{
	return launch(call, kernel, grid, block, args, shared, stream);
}

int rt_cudaLaunchKernelExC(struct sim_call *call, const struct cuda_launch_config *config,
	const void *function, void **args)
{
	CUkernel kernel;
	if (!config)
		return cudaErrorInvalidValue;
	int result = registry_kernel(function, &kernel);
	if (result == 0)
		result = check_size(config->grid, config->block);
	if (result)
		return result;
	struct cu_launch_config lower = {{config->grid.x, config->grid.y, config->grid.z},
		{config->block.x, config->block.y, config->block.z}, (unsigned)config->shared_bytes,
		config->stream, config->attributes, config->attribute_count};
	return driver.cuLaunchKernelEx[call->per_thread](&lower, kernel, args, NULL);
}

int rt_cudaLaunchCooperativeKernel(struct sim_call *call, const void *function, struct dim3 grid,
	struct dim3 block, void **args, size_t shared, CUstream stream)
{
	CUkernel kernel;
	int result = registry_kernel(function, &kernel);
	if (result == 0)
		result = check_size(grid, block);
	if (result)
		return result;
	return driver.cuLaunchCooperativeKernel[call->per_thread](kernel, grid.x, grid.y, grid.z,
		block.x, block.y, block.z, (unsigned)shared, stream, args);
}

#if CUDART_MAJOR == 12
int rt_cudaLaunchCooperativeKernelMultiDevice(struct sim_call *call,
	const struct cuda_device_launch *launches, unsigned count, unsigned flags)
{
	struct cu_device_launch made[MAX_DEVICES];
	(void)call;
	if (!launches || count == 0 || count > MAX_DEVICES)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < count; i++) {
		const struct cuda_device_launch *one = &launches[i];
		int result = check_size(one->grid, one->block);
		made[i] = (struct cu_device_launch){.grid = {one->grid.x, one->grid.y, one->grid.z},
			.block = {one->block.x, one->block.y, one->block.z},
			.shared_bytes = (unsigned)one->shared_bytes,
			.stream = one->stream,
			.args = one->args};
		if (result == 0)
			result = registry_kernel(one->function, &made[i].function);
		if (result)
			return result;
	}
	return driver.cuLaunchCooperativeKernelMultiDevice(made, count, flags);
}
#endif

int rt___cudaGetKernel(struct sim_call *call, CUkernel *ret_kernel, const void *function)
{
	const char *name = NULL;
	if (!ret_kernel)
		return cudaErrorInvalidValue;
	int result = registry_kernel(function, ret_kernel);
	if (result)
		return result;
	registry_add_handle(*ret_kernel);
	if (driver.cuKernelGetName(&name, *ret_kernel) == 0) {
		call->detail.set |= SIM_SET_TEXT;
		call->detail.name = name;
	}
	return 0;
}

int rt_cudaLibraryGetKernel(
	struct sim_call *call, CUkernel *ret_kernel, CUlibrary library, const char *name)
{
	int result = driver.cuLibraryGetKernel(ret_kernel, library, name);
	(void)call;
	if (result == 0)
		registry_add_handle(*ret_kernel);
	return result;
}

int rt_cudaLibraryGetGlobal(struct sim_call *call, void **ret_address, size_t *ret_bytes,
	CUlibrary library, const char *name)
{
	CUdeviceptr address = 0;
	(void)call;
	int result = driver.cuLibraryGetGlobal(&address, ret_bytes, library, name);
	if (result == 0 && ret_address)
		*ret_address = (void *)(uintptr_t)address;
	return result;
}

int rt_cudaFuncGetName(struct sim_call *call, const char **ret_name, const void *function)
{
	CUkernel kernel;
	(void)call;
	int result = registry_kernel(function, &kernel);
	return result ? result : driver.cuKernelGetName(ret_name, kernel);
}

int rt_cudaFuncGetAttributes(
	struct sim_call *call, struct cuda_func_attributes *ret_attributes, const void *function)
{
	CUkernel kernel;
	(void)call;
	if (!ret_attributes)
		return cudaErrorInvalidValue;
	int result = registry_kernel(function, &kernel);
	if (result)
		return result;
	*ret_attributes = (struct cuda_func_attributes){0};
	(void)driver.cuFuncGetAttribute(&ret_attributes->max_threads_per_block, 0, kernel);
	(void)driver.cuFuncGetAttribute(&ret_attributes->registers, 4, kernel);
	(void)driver.cuFuncGetAttribute(&ret_attributes->ptx_version, 5, kernel);
	(void)driver.cuFuncGetAttribute(&ret_attributes->binary_version, 6, kernel);
	(void)driver.cuFuncGetAttribute(&ret_attributes->max_dynamic_shared_bytes, 8, kernel);
	(void)driver.cuFuncGetAttribute(&ret_attributes->preferred_carveout, 9, kernel);
	return 0;
}

int rt_cudaFuncSetAttribute(struct sim_call *call, const void *function, int attribute, int value)
{
	CUkernel kernel;
	(void)call;
	int result = registry_kernel(function, &kernel);
	return result ? result : driver.cuFuncSetAttribute(kernel, attribute, value);
}

int rt_cudaFuncSetCacheConfig(struct sim_call *call, const void *function, int config)
{
	CUkernel kernel;
	(void)call;
	int result = registry_kernel(function, &kernel);
	return result ? result : driver.cuFuncSetCacheConfig(kernel, config);
}

int rt_cudaKernelSetAttributeForDevice(
	struct sim_call *call, CUkernel kernel, int attribute, int value, int device)
{
	(void)call;
	return driver.cuKernelSetAttribute(attribute, value, kernel, device);
}

int rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(struct sim_call *call,
	int *ret_blocks, const void *function, int block, size_t shared, unsigned flags)
{
	CUkernel kernel;
	(void)call;
	int result = registry_kernel(function, &kernel);
	if (result)
		return result;
	return driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		ret_blocks, kernel, block, shared, flags);
}

int rt_cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	struct sim_call *call, int *ret_blocks, const void *function, int block, size_t shared)
{
	return rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		call, ret_blocks, function, block, shared, 0);
}
