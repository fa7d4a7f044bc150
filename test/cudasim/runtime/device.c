/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "runtime.h"

int rt_cudaDriverGetVersion(struct sim_call *call, int *ret_version)
{
	(void)call;
	return ret_version ? driver.cuDriverGetVersion(ret_version) : cudaErrorInvalidValue;
}

int rt_cudaRuntimeGetVersion(struct sim_call *call, int *ret_version)
{
	(void)call;
	if (!ret_version)
		return cudaErrorInvalidValue;
	*ret_version = CUDART_VERSION;
	return 0;
}

int rt_cudaGetDeviceCount(struct sim_call *call, int *ret_count)
{
	(void)call;
	return ret_count ? driver.cuDeviceGetCount(ret_count) : cudaErrorInvalidValue;
}

int rt_cudaGetDevice(struct sim_call *call, int *ret_device)
{
	(void)call;
	if (!ret_device)
		return cudaErrorInvalidValue;
	*ret_device = runtime_thread.device;
	return 0;
}

int rt_cudaSetDevice(struct sim_call *call, int device)
{
	int count = 0;
	int result = driver.cuDeviceGetCount(&count);
	call->detail.set |= SIM_SET_DEVICE;
	call->detail.device = (uint32_t)device;
	if (result)
		return result;
	if (device < 0 || device >= count)
		return cudaErrorInvalidDevice;
	if (runtime_thread.has_context && runtime_thread.device == device)
		return 0;
	runtime_thread.has_context = 1; /* a choice of this thread's, not of the driver API's */
	return runtime_use_device(device);
}

int rt_cudaInitDevice(struct sim_call *call, int device, unsigned device_flags, unsigned flags)
{
	CUcontext context;
	(void)call;
	(void)device_flags;
	(void)flags;
	return driver.cuDevicePrimaryCtxRetain(&context, device);
}

int rt_cudaSetDeviceFlags(struct sim_call *call, unsigned flags)
{
	(void)call;
	return driver.cuDevicePrimaryCtxSetFlags(runtime_thread.device, flags);
}

int rt_cudaGetDeviceFlags(struct sim_call *call, unsigned *ret_flags)
{
	(void)call;
	return driver.cuDevicePrimaryCtxGetState(runtime_thread.device, ret_flags, NULL);
}

int rt_cudaDeviceReset(struct sim_call *call)
{
	(void)call;
	return driver.cuDevicePrimaryCtxReset(runtime_thread.device);
}

/* The primary context of another device, for the peer functions. */
static int peer_context(int device, CUcontext *ret_context)
{
	return driver.cuDevicePrimaryCtxRetain(ret_context, device);
}

int rt_cudaDeviceEnablePeerAccess(struct sim_call *call, int peer, unsigned flags)
{
	CUcontext context;
	(void)call;
	int result = peer_context(peer, &context);
	return result ? result : driver.cuCtxEnablePeerAccess(context, flags);
}

int rt_cudaDeviceDisablePeerAccess(struct sim_call *call, int peer)
{
	CUcontext context;
	(void)call;
	int result = peer_context(peer, &context);
	return result ? result : driver.cuCtxDisablePeerAccess(context);
}

int rt_cudaGetDriverEntryPointByVersion(struct sim_call *call, const char *name,
	void **ret_function, unsigned version, unsigned long long flags, int *ret_status)
{
	int status = 0;
	if (!name || !ret_function || flags > 2)
		return cudaErrorInvalidValue;
	if (flags == 0 && call->per_thread)
		flags = 2;
	int result = driver.cuGetProcAddress(name, ret_function, (int)version, flags, &status);
	if (ret_status)
		*ret_status = status;
	else if (result == 0 && status)
		result = cudaErrorSymbolNotFound;
	return result;
}

int rt_cudaGetDriverEntryPoint(struct sim_call *call, const char *name, void **ret_function,
	unsigned long long flags, int *ret_status)
{
	return rt_cudaGetDriverEntryPointByVersion(
		call, name, ret_function, CUDART_VERSION, flags, ret_status);
}

#define PROPERTIES_BYTES        (CUDART_MAJOR == 12 ? 1032 : 1008)
#define OFFSET_UUID             256
#define OFFSET_TOTAL_MEMORY     288
#define OFFSET_MAX_THREADS_DIM  324
#define OFFSET_MAX_GRID_SIZE    336
#define FIRST_ATTRIBUTE_BLOCK_X 2
#define FIRST_ATTRIBUTE_GRID_X  5

static int put_attribute(char *properties, int offset, int attribute, size_t bytes, int device)
{
	int value = 0;
	int result = driver.cuDeviceGetAttribute(&value, attribute, device);
	int64_t wide = value;
	if (result == 0 && offset >= 0)
		memcpy(properties + offset, bytes == 8 ? (void *)&wide : (void *)&value, bytes);
	return result;
}

int rt_cudaGetDeviceProperties(struct sim_call *call, void *properties, int device)
{
	char *bytes = properties;
	int result = 0;
	(void)call;
	if (!properties)
		return cudaErrorInvalidValue;
	memset(bytes, 0, PROPERTIES_BYTES);
	result = driver.cuDeviceGetName(bytes, 256, device);
	if (result)
		return result;
	(void)driver.cuDeviceGetUuid((struct cuda_uuid *)(void *)(bytes + OFFSET_UUID), device);
	(void)driver.cuDeviceTotalMem((size_t *)(void *)(bytes + OFFSET_TOTAL_MEMORY), device);
	for (int i = 0; i < 3; i++) {
		put_attribute(bytes, OFFSET_MAX_THREADS_DIM + 4 * i, FIRST_ATTRIBUTE_BLOCK_X + i, 4,
			device);
		put_attribute(
			bytes, OFFSET_MAX_GRID_SIZE + 4 * i, FIRST_ATTRIBUTE_GRID_X + i, 4, device);
	}
#define PROPERTY(name, offset_12, offset_13, attribute, type)                                      \
	put_attribute(bytes, CUDART_MAJOR == 12 ? (offset_12) : (offset_13), attribute,            \
		sizeof(type), device);
#include "device_prop.def"
#undef PROPERTY
	return 0;
}
