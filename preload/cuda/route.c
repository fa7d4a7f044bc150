/* SPDX-License-Identifier: MIT */
#include "preload/cuda/route.h"

#include "collector/base/hash.h"
#include "preload/calls/abi.h"
#include "preload/calls/driver_abi.h"
#include "preload/linker/linker.h"
#include "preload/thread/thread.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#define RUNTIME_LIMIT 3
#define CACHE_BITS    11
#define CACHE_COUNT   (1u << CACHE_BITS)
#define PROBES        8u

static const struct {
	char soname[20];
	int major;
} known[RUNTIME_LIMIT] = {
	{.soname = "libcudart.so.13", .major = 13},
	{.soname = "libcudart.so.12", .major = 12},
	{.soname = "libcudart.so.11.0", .major = 11},
};
static struct runtime {
	void *handle; /* NULL: not loaded */
	void *functions[HOOK_COUNT];
} runtimes[RUNTIME_LIMIT];
static int first_runtime = -1;

/* Runtime by return address, plus 1; addresses are never taken out. */
static struct route {
	const void *caller;
	uint32_t runtime;
} cache[CACHE_COUNT];

static void *handle_of(int index)
{
	return __atomic_load_n(&runtimes[index].handle, __ATOMIC_ACQUIRE);
}

/* Two threads may do this at once: both find the same, a handle too many does no harm. */
int route_find_runtimes(void)
{
	int saved = errno;
	for (int i = 0; i < RUNTIME_LIMIT; i++) {
		if (handle_of(i) != NULL)
			continue;
		void *handle = linker_find(known[i].soname);
		if (handle == NULL)
			continue;
		int none = -1;
		__atomic_store_n(&runtimes[i].handle, handle, __ATOMIC_RELEASE);
		(void)__atomic_compare_exchange_n(
			&first_runtime, &none, i, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
	linker_forget_error(); /* a library that is not there is no error of the program */
	errno = saved;
	return route_count();
}

int route_count(void)
{
	int count = 0;
	for (int i = 0; i < RUNTIME_LIMIT; i++)
		count += handle_of(i) != NULL;
	return count;
}

static struct runtime *first(void)
{
	int index = __atomic_load_n(&first_runtime, __ATOMIC_ACQUIRE);
	return index < 0 ? NULL : &runtimes[index];
}

int route_major(void)
{
	return first() == NULL ? 0 : known[first() - runtimes].major;
}

const char *route_path(void)
{
	struct link_map *map = NULL;
	if (first() == NULL || dlinfo(first()->handle, RTLD_DI_LINKMAP, &map) != 0)
		return NULL;
	return map->l_name;
}

void *route_handle(void)
{
	return first() == NULL ? NULL : first()->handle;
}

void *route_lookup(const char *name)
{
	return first() == NULL ? NULL : linker_dlsym(first()->handle, name);
}

/* The runtime that a loaded library says it needs, or -1. */
static int runtime_of(const struct link_map *map)
{
	const ElfW(Dyn) *entry = map->l_ld;
	const char *texts = NULL;
	for (const ElfW(Dyn) *at = entry; at != NULL && at->d_tag != DT_NULL; at++)
		if (at->d_tag == DT_STRTAB)
			texts = (const char *)at->d_un.d_ptr;
	if (texts == NULL)
		return -1;
	if ((ElfW(Addr))(uintptr_t)texts < map->l_addr) /* not relocated in place here */
		texts += map->l_addr;
	for (; entry->d_tag != DT_NULL; entry++)
		for (int i = 0; entry->d_tag == DT_NEEDED && i < RUNTIME_LIMIT; i++)
			if (handle_of(i) != NULL &&
				strcmp(texts + entry->d_un.d_val, known[i].soname) == 0)
				return i;
	return -1;
}

static int find_route(const void *caller)
{
	Dl_info info;
	struct link_map *map = NULL;
	int saved = errno;
	int runtime = -1;
	if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL)
		runtime = runtime_of(map);
	errno = saved;
	return runtime < 0 ? __atomic_load_n(&first_runtime, __ATOMIC_ACQUIRE) : runtime;
}

static int route_of(const void *caller)
{
	unsigned slot = hash_pointer_bits(caller, CACHE_BITS);
	for (unsigned probe = 0; probe < PROBES; probe++) {
		struct route *route = &cache[(slot + probe) % CACHE_COUNT];
		const void *seen = __atomic_load_n(&route->caller, __ATOMIC_ACQUIRE);
		if (seen == caller) {
			uint32_t runtime = __atomic_load_n(&route->runtime, __ATOMIC_ACQUIRE);
			return runtime != 0 ? (int)runtime - 1 : find_route(caller);
		}
		if (seen != NULL)
			continue;
		int runtime = find_route(caller);
		if (__atomic_compare_exchange_n(&route->caller, &seen, caller, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			__atomic_store_n(&route->runtime, (uint32_t)runtime + 1, __ATOMIC_RELEASE);
		return runtime;
	}
	return find_route(caller);
}

/*
 * The stubs are called by the wrappers: as a jump, with the program's return address still on
 * the stack, or from inside, and then the thread knows it.
 */
static void *choose(enum hook_id id, const void *returns_to)
{
	extern const char __executable_start_of_library[] __asm__("__ehdr_start")
		__attribute__((visibility("hidden")));
	extern const char end_of_library[] __asm__("_end") __attribute__((visibility("hidden")));
	const char *address = returns_to;
	if (address >= __executable_start_of_library && address < end_of_library)
		returns_to = thread_state.caller;
	return runtimes[route_of(returns_to)].functions[id];
}

/* clang-format off */
#define ROUTE_cuda(type, name, params, args) /* there is one driver */
#define USED __attribute__((used))
#define ROUTE_cudart(type, name, params, args)                                                     \
	static USED type route_##name params                                                       \
	{                                                                                          \
		type(*chosen) params = choose(HOOK_##name, __builtin_return_address(0));           \
		return chosen args;                                                                \
	}
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) \
	ROUTE_##library(type, name, params, args)
#include "preload/calls/hooks.def"

__asm__(RELATIVE_BEGIN(stubs)
#define STUB_libc(name)   RELATIVE_NONE
#define STUB_cuda(name)   RELATIVE_NONE
#define STUB_cudart(name) RELATIVE(stubs, route_##name)
#define HOOK_NAME(library, name) STUB_##library(name)
#include "preload/calls/hooks.def"
	RELATIVE_END);
/* clang-format on */

extern const int32_t stubs[HOOK_COUNT] __attribute__((visibility("hidden")));

void *route_add(enum hook_id id, void *absent)
{
	bool found = false;
	for (int i = 0; i < RUNTIME_LIMIT; i++) {
		void *handle = handle_of(i);
		void *function = handle == NULL ? NULL : linker_dlsym(handle, calls_name(id));
		found = found || function != NULL;
		__atomic_store_n(&runtimes[i].functions[id], function != NULL ? function : absent,
			__ATOMIC_RELEASE);
	}
	return found ? relative_at(stubs, id) : NULL;
}

void *route_first(enum hook_id id, void *current)
{
	return current == relative_at(stubs, id) ? first()->functions[id] : current;
}
