/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <pthread.h>
#include <stdlib.h>

#include "settings.h"

#define MAX_DEVICES  16
#define STACK_SIZE   16
#define RANGE_FACTOR 16

static struct device devices[MAX_DEVICES];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t last_id;

static __thread CUcontext stack[STACK_SIZE]; /* the current context is on top */
static __thread unsigned stack_used;

static void context_init(CUcontext context, int device, unsigned flags)
{
	context->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	context->device = device;
	context->flags = flags;
	context->limits[0] = 1024;            /* stack of a thread */
	context->limits[1] = 1024 * 1024;     /* printf buffer */
	context->limits[2] = 8 * 1024 * 1024; /* heap */
	stream_init_legacy(&context->legacy, context);
}

static void make_devices(void)
{
	uint64_t memory = settings_get()->memory_bytes;
	for (int i = 0; i < MAX_DEVICES; i++) {
		struct device *device = &devices[i];
		device->number = i;
		/* Addresses cost nothing, and reserved ranges (cuMemAddressReserve) are as large
		 * as the device's memory each. */
		device->memory.size = memory * RANGE_FACTOR;
		device->memory.limit = memory;
		device->pool.device = i;
		device->pool.reuse[0] = device->pool.reuse[1] = device->pool.reuse[2] = 1;
		device->current_pool = &device->pool;
		context_init(&device->primary, i, 0);
	}
}

struct device *device_get(int number)
{
	pthread_once(&once, make_devices);
	if (number < 0 || (unsigned)number >= settings_get()->devices)
		return NULL;
	return &devices[number];
}

struct device *device_of_address(const void *address)
{
	struct device *device;
	for (int i = 0; (device = device_get(i)); i++) {
		if (arena_holds(&device->memory, address))
			return device;
	}
	return NULL;
}

CUcontext context_current(void)
{
	return stack_used ? stack[stack_used - 1] : NULL;
}

struct device *context_device(void)
{
	return &devices[context_current()->device];
}

void context_set_current(CUcontext context)
{
	if (stack_used == 0)
		stack_used = 1;
	stack[stack_used - 1] = context;
	if (!context)
		stack_used--;
}

int context_push(CUcontext context)
{
	if (!context)
		return cudaErrorDeviceUninitialized;
	if (stack_used == STACK_SIZE)
		return cudaErrorMemoryAllocation;
	stack[stack_used++] = context;
	return 0;
}

int context_pop(CUcontext *ret_context)
{
	if (stack_used == 0)
		return cudaErrorDeviceUninitialized;
	stack_used--;
	if (ret_context)
		*ret_context = stack[stack_used];
	return 0;
}

CUcontext context_create(struct device *device, unsigned flags)
{
	CUcontext context = calloc(1, sizeof(*context));
	if (context)
		context_init(context, device->number, flags);
	return context;
}
