/* SPDX-License-Identifier: MIT */
#include "../core/capture.h"
#include "../core/computed.h"
#include "../core/state.h"
#include "../core/stream.h"
#include "driver.h"

#define LEAST_PRIORITY    0
#define GREATEST_PRIORITY (-5)

static void context_wait(struct sim_call *call, CUcontext context)
{
	state_lock();
	struct sim_point point = context->latest;
	state_unlock();
	point_wait(call, point);
}

int sim_cuDevicePrimaryCtxRetain(struct sim_call *call, CUcontext *ret_context, CUdevice device)
{
	struct device *found = device_get(device);
	if (!found)
		return cudaErrorInvalidDevice;
	if (__atomic_fetch_add(&found->primary.references, 1, __ATOMIC_RELAXED) == 0)
		call_tell(SIM_CONTEXT_CREATED, call, &found->primary, NULL);
	*ret_context = &found->primary;
	return 0;
}

int sim_cuDevicePrimaryCtxRelease_v2(struct sim_call *call, CUdevice device)
{
	struct device *found = device_get(device);
	(void)call;
	if (!found)
		return cudaErrorInvalidDevice;
	if (found->primary.references == 0)
		return cudaErrorDeviceUninitialized;
	__atomic_sub_fetch(&found->primary.references, 1, __ATOMIC_RELAXED);
	return 0;
}

int sim_cuDevicePrimaryCtxReset_v2(struct sim_call *call, CUdevice device)
{
	struct device *found = device_get(device);
	if (!found)
		return cudaErrorInvalidDevice;
	call_tell(SIM_CONTEXT_ENDS, call, &found->primary, NULL);
	context_wait(call, &found->primary);
	state_reset();
	call_tell(SIM_CONTEXT_GONE, call, &found->primary, NULL);
	return 0;
}

int sim_cuDevicePrimaryCtxSetFlags_v2(struct sim_call *call, CUdevice device, unsigned flags)
{
	(void)call;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	device_get(device)->primary.flags = flags;
	return 0;
}

int sim_cuDevicePrimaryCtxGetState(
	struct sim_call *call, CUdevice device, unsigned *ret_flags, int *ret_active)
{
	struct device *found = device_get(device);
	(void)call;
	if (!found)
		return cudaErrorInvalidDevice;
	if (ret_flags)
		*ret_flags = found->primary.flags;
	if (ret_active)
		*ret_active = found->primary.references > 0;
	return 0;
}

int sim_cuCtxCreate_v2(
	struct sim_call *call, CUcontext *ret_context, unsigned flags, CUdevice device)
{
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	CUcontext context = context_create(device_get(device), flags);
	if (!context)
		return cudaErrorMemoryAllocation;
	*ret_context = context;
	call_tell(SIM_CONTEXT_CREATED, call, context, NULL);
	return context_push(context);
}

int sim_cuCtxCreate_v4(struct sim_call *call, CUcontext *ret_context, void *params, unsigned flags,
	CUdevice device)
{
	if (params)
		return cudaErrorNotSupported;
	return sim_cuCtxCreate_v2(call, ret_context, flags, device);
}

int sim_cuCtxDestroy_v2(struct sim_call *call, CUcontext context)
{
	if (!context || context->destroyed)
		return cudaErrorDeviceUninitialized;
	call_tell(SIM_CONTEXT_ENDS, call, context, NULL);
	context_wait(call, context);
	context->destroyed = 1;
	call_tell(SIM_CONTEXT_GONE, call, context, NULL);
	if (context_current() == context)
		(void)context_pop(NULL);
	return 0;
}

int sim_cuCtxPushCurrent_v2(struct sim_call *call, CUcontext context)
{
	(void)call;
	return context_push(context);
}

int sim_cuCtxPopCurrent_v2(struct sim_call *call, CUcontext *ret_context)
{
	(void)call;
	return context_pop(ret_context);
}

int sim_cuCtxSetCurrent(struct sim_call *call, CUcontext context)
{
	(void)call;
	context_set_current(context);
	return 0;
}

int sim_cuCtxGetCurrent(struct sim_call *call, CUcontext *ret_context)
{
	(void)call;
	*ret_context = context_current();
	return 0;
}

int sim_cuCtxGetDevice(struct sim_call *call, CUdevice *ret_device)
{
	(void)call;
	*ret_device = context_current()->device;
	return 0;
}

int sim_cuCtxGetFlags(struct sim_call *call, unsigned *ret_flags)
{
	(void)call;
	*ret_flags = context_current()->flags;
	return 0;
}

int sim_cuCtxGetId(struct sim_call *call, CUcontext context, unsigned long long *ret_id)
{
	(void)call;
	if (!context)
		context = context_current();
	if (!context)
		return cudaErrorDeviceUninitialized;
	*ret_id = context->id;
	return 0;
}

int sim_cuCtxGetApiVersion(struct sim_call *call, CUcontext context, unsigned *ret_version)
{
	(void)call;
	(void)context;
	*ret_version = 3020;
	return 0;
}

int sim_cuCtxSynchronize_v2(struct sim_call *call, CUcontext context)
{
	if (!context)
		context = context_current();
	if (!context)
		return cudaErrorDeviceUninitialized;
	if (state_sticky())
		return state_sticky();
	int result = capture_check_none();
	if (result)
		return result;
	call->detail.device = (uint32_t)context->device;
	call->detail.set |= SIM_SET_DEVICE;
	context_wait(call, context);
	return 0;
}

int sim_cuCtxSynchronize(struct sim_call *call)
{
	return sim_cuCtxSynchronize_v2(call, NULL);
}

int sim_cuCtxSetLimit(struct sim_call *call, int limit, size_t value)
{
	(void)call;
	if (limit < 0 || limit > 15)
		return cudaErrorInvalidValue;
	context_current()->limits[limit] = value;
	return 0;
}

int sim_cuCtxGetLimit(struct sim_call *call, size_t *ret_value, int limit)
{
	(void)call;
	if (!ret_value || limit < 0 || limit > 15)
		return cudaErrorInvalidValue;
	*ret_value = context_current()->limits[limit];
	return 0;
}

int sim_cuCtxGetCacheConfig(struct sim_call *call, int *ret_config)
{
	(void)call;
	*ret_config = context_current()->cache_config;
	return 0;
}

int sim_cuCtxSetCacheConfig(struct sim_call *call, int config)
{
	(void)call;
	context_current()->cache_config = config;
	return 0;
}

int sim_cuCtxGetStreamPriorityRange(struct sim_call *call, int *ret_least, int *ret_greatest)
{
	(void)call;
	if (ret_least)
		*ret_least = LEAST_PRIORITY;
	if (ret_greatest)
		*ret_greatest = GREATEST_PRIORITY;
	return 0;
}

/* What may be reached is mapped anew, when nothing runs. */
static void change_peers(struct sim_call *call, CUcontext context, uint32_t peers)
{
	context_wait(call, context);
	context->peers = peers;
}

int sim_cuCtxEnablePeerAccess(struct sim_call *call, CUcontext peer, unsigned flags)
{
	CUcontext context = context_current();
	if (!peer || flags)
		return cudaErrorInvalidValue;
	if (peer->device == context->device)
		return cudaErrorInvalidDevice;
	if (context->peers & 1u << peer->device)
		return cudaErrorPeerAccessAlreadyEnabled;
	change_peers(call, context, context->peers | 1u << peer->device);
	return 0;
}

int sim_cuCtxDisablePeerAccess(struct sim_call *call, CUcontext peer)
{
	CUcontext context = context_current();
	if (!peer)
		return cudaErrorInvalidValue;
	if (!(context->peers & 1u << peer->device))
		return cudaErrorPeerAccessNotEnabled;
	change_peers(call, context, context->peers & ~(1u << peer->device));
	return 0;
}
