/* SPDX-License-Identifier: MIT */
#include "preload/torch/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/frameworks/frameworks.h"
#include "preload/probe/stand_in.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"

#define USED        "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
#define OUT         "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"
#define DEVICES     16
#define CUDA        1 /* c10::DeviceType */
#define PAUSE_TICKS 20000000u

/* c10::Device */
struct place {
	int8_t type, index;
};

/* Of a device; the allocator holds a lock of its own around each change. */
static struct device {
	uint64_t now[MEMORY_RESERVED + 1],
		most[MEMORY_RESERVED + 1]; /* bytes; since the last record */
	uint64_t told;                     /* ticks, of that */
	uint32_t count;                    /* allocations since then */
	bool changed;
} devices[DEVICES];

static bool wanted;
static void (*real_used)(void *address, int64_t bytes, size_t used, size_t held, struct place);
static void (*real_out)(int64_t bytes, size_t used, size_t held, struct place);

static void emit(unsigned index, enum memory_what what, uint64_t value, uint64_t most)
{
	uint64_t now = clock_ticks();
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	*record = (struct record){.begin = now, .end = now, .kind = RECORD_MEMORY};
	record_set_MEMORY_what(record, what);
	record_set_MEMORY_device(record, index);
	record_set_MEMORY_framework(record, OP_TORCH);
	record_set_MEMORY_bytes(record, value);
	record_set_MEMORY_most(record, most);
	if (what == MEMORY_ALLOCATED)
		record_set_MEMORY_count(
			record, __atomic_exchange_n(&devices[index].count, 0, __ATOMIC_RELAXED));
	collector_commit();
}

/* With the guard. */
static void tell(unsigned index)
{
	struct device *device = &devices[index];
	device->changed = false;
	device->told = clock_ticks();
	for (unsigned what = MEMORY_ALLOCATED; what <= MEMORY_RESERVED; what++) {
		uint64_t now = __atomic_load_n(&device->now[what], __ATOMIC_RELAXED);
		emit(index, what, now,
			__atomic_exchange_n(&device->most[what], now, __ATOMIC_RELAXED));
	}
}

static bool note(struct device *device, enum memory_what what, uint64_t bytes)
{
	bool changed = device->now[what] != bytes;
	__atomic_store_n(&device->now[what], bytes, __ATOMIC_RELAXED);
	if (bytes > __atomic_load_n(&device->most[what], __ATOMIC_RELAXED))
		__atomic_store_n(&device->most[what], bytes, __ATOMIC_RELAXED);
	return changed;
}

static void used(void *address, int64_t bytes, size_t allocated, size_t held, struct place place)
{
	struct device *device = &devices[(uint8_t)place.index % DEVICES];
	if (place.type == CUDA && collector_enabled != 0) {
		(void)note(device, MEMORY_ALLOCATED, allocated);
		bool grown = note(device, MEMORY_RESERVED, held);
		device->changed = true;
		if (bytes > 0)
			(void)__atomic_fetch_add(&device->count, 1, __ATOMIC_RELAXED);
		if ((grown || clock_ticks() - device->told > PAUSE_TICKS) && guard_enter()) {
			int saved = errno;
			tell((unsigned)(device - devices));
			errno = saved;
			guard_leave();
		}
	}
	real_used(address, bytes, allocated, held, place);
}

static void out(int64_t bytes, size_t allocated, size_t held, struct place place)
{
	if (place.type == CUDA && collector_enabled != 0 && guard_enter()) {
		int saved = errno;
		(void)note(&devices[(uint8_t)place.index % DEVICES], MEMORY_RESERVED, held);
		emit((uint8_t)place.index % DEVICES, MEMORY_OUT, (uint64_t)bytes, 0);
		errno = saved;
		guard_leave();
	}
	real_out(bytes, allocated, held, place);
}

void memory_step(void)
{
	for (unsigned i = 0; wanted && i < DEVICES; i++)
		if (devices[i].changed)
			tell(i);
}

static void finish(void)
{
	if (collector_enabled != 0 && collector_is_running() && guard_enter()) {
		memory_step();
		guard_leave();
	}
}

static void after_fork(void)
{
	for (unsigned i = 0; i < DEVICES; i++)
		devices[i] = (struct device){0};
}

static const char *take(void)
{
	char path[1024];
	void *holder = frameworks_find("libc10.so", path, sizeof(path));
	if (holder == NULL)
		return "libc10 is not loaded";
	real_used = (void (*)(void *, int64_t, size_t, size_t, struct place))dlsym(holder, USED);
	real_out = (void (*)(int64_t, size_t, size_t, struct place))dlsym(holder, OUT);
	if (real_used == NULL || real_out == NULL)
		return "libc10 does not tell what is allocated as it is known";
	if (frameworks_find("libc10_cuda.so", path, sizeof(path)) == NULL)
		return "libc10_cuda is not loaded";
	if (stand_in(path, USED, (uintptr_t)used) != NULL ||
		stand_in(path, OUT, (uintptr_t)out) != NULL)
		return "libc10_cuda does not tell what is allocated as it is known";
	return NULL;
}

void memory_attach(void)
{
	if (!wanted)
		return;
	const char *reason = take();
	collector_source("memory", reason == NULL ? "active" : "absent", reason);
	if (reason == NULL) {
		(void)atexit(finish);
		(void)pthread_atfork(NULL, NULL, after_fork);
	}
}

void memory_enable(bool on)
{
	wanted = on;
}
