/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdlib.h>

#include "state.h"

#define HOST_RANGE (64ull << 30)

static struct arena pinned = {.size = HOST_RANGE, .limit = HOST_RANGE};
static struct arena managed = {.size = HOST_RANGE, .limit = HOST_RANGE};

struct registered {
	char *base;
	size_t bytes;
	uint32_t flags;
};

static struct registered *registrations;
static size_t registration_count;

/* The registered range that holds address, NULL if none does. */
static struct registered *find_registered_locked(const void *address)
{
	for (size_t i = 0; i < registration_count; i++) {
		struct registered *range = &registrations[i];
		if ((const char *)address >= range->base &&
			(const char *)address < range->base + range->bytes)
			return range;
	}
	return NULL;
}

enum sim_memory memory_kind(const void *address)
{
	if (device_of_address(address))
		return SIM_DEVICE;
	if (arena_holds(&pinned, address))
		return SIM_PINNED;
	if (arena_holds(&managed, address))
		return SIM_MANAGED;
	if (__atomic_load_n(&registration_count, __ATOMIC_RELAXED) == 0)
		return SIM_PAGEABLE;
	state_lock();
	const struct registered *range = find_registered_locked(address);
	state_unlock();
	return range ? SIM_PINNED : SIM_PAGEABLE;
}

static void describe_locked(const void *address, struct memory_info *info)
{
	const struct device *device = device_of_address(address);
	const struct arena *arena = device                          ? &device->memory
				    : arena_holds(&pinned, address) ? &pinned
								    : &managed;
	const struct arena_block *block = arena_find(arena, address);
	const struct registered *range = block ? NULL : find_registered_locked(address);
	if (device)
		info->device = device->number;
	if (block) {
		info->base = block->address;
		info->bytes = block->requested;
		info->flags = block->flags;
	} else if (range) {
		info->base = range->base;
		info->bytes = range->bytes;
		info->flags = range->flags;
		info->registered = 1;
	}
}

struct memory_info memory_info(const void *address)
{
	struct memory_info info = {.kind = memory_kind(address), .device = -1};
	if (info.kind == SIM_PAGEABLE)
		return info;
	if (context_current())
		info.device = context_current()->device;
	state_lock();
	describe_locked(address, &info);
	state_unlock();
	return info;
}

int memory_is_range(const void *address, size_t bytes)
{
	if (memory_kind(address) != SIM_DEVICE)
		return 1;
	struct memory_info info = memory_info(address);
	return info.base && bytes <= info.bytes &&
	       (size_t)((const char *)address - info.base) <= info.bytes - bytes;
}

static void *alloc(struct arena *arena, size_t bytes, uint32_t flags)
{
	state_lock();
	void *address = arena_alloc(arena, bytes, flags);
	state_unlock();
	return address;
}

void *memory_alloc_device(struct device *device, size_t bytes)
{
	return alloc(&device->memory, bytes, 0);
}

void *memory_alloc_pinned(size_t bytes, uint32_t flags)
{
	return alloc(&pinned, bytes, flags);
}

void *memory_alloc_managed(size_t bytes, uint32_t flags)
{
	return alloc(&managed, bytes, flags);
}

static int free_block(struct arena *arena, void *address)
{
	state_lock();
	int result = arena_free(arena, address) ? cudaErrorInvalidValue : 0;
	state_unlock();
	return result;
}

int memory_free_device(void *address)
{
	struct device *device = device_of_address(address);
	return free_block(device ? &device->memory : &managed, address);
}

int memory_free_pinned(void *address)
{
	return free_block(&pinned, address);
}

static int add_locked(void *address, size_t bytes, uint32_t flags)
{
	char *last = (char *)address + bytes - 1;
	if (find_registered_locked(address) || find_registered_locked(last))
		return cudaErrorHostMemoryAlreadyRegistered;
	struct registered *grown =
		realloc(registrations, (registration_count + 1) * sizeof(*grown));
	if (!grown)
		return cudaErrorMemoryAllocation;
	registrations = grown;
	registrations[registration_count] = (struct registered){address, bytes, flags};
	__atomic_store_n(&registration_count, registration_count + 1, __ATOMIC_RELAXED);
	return 0;
}

int memory_register(void *address, size_t bytes, uint32_t flags)
{
	if (!address || bytes == 0 || memory_kind(address) == SIM_DEVICE)
		return cudaErrorInvalidValue;
	if (arena_holds(&pinned, address) || arena_holds(&managed, address))
		return cudaErrorHostMemoryAlreadyRegistered;
	state_lock();
	int result = add_locked(address, bytes, flags);
	state_unlock();
	return result;
}

int memory_unregister(void *address)
{
	int result = cudaErrorHostMemoryNotRegistered;
	state_lock();
	for (size_t i = 0; i < registration_count; i++) {
		if (registrations[i].base != address)
			continue;
		registrations[i] = registrations[registration_count - 1];
		__atomic_store_n(&registration_count, registration_count - 1, __ATOMIC_RELAXED);
		result = 0;
		break;
	}
	state_unlock();
	return result;
}
