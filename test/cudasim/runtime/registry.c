/* SPDX-License-Identifier: MIT */
#include "registry.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime.h"

#define FIRST_CAPACITY (1u << 12)

/* Open addressing; a table that has become too small is replaced and never freed, since another
 * thread may be reading it. */
struct table {
	size_t capacity;
	size_t used;
	struct registered *slots[];
};

static struct table *kernels;
static struct table *variables;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(const void *key, size_t capacity)
{
	return (size_t)(((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15ull >> 20) & (capacity - 1);
}

static struct registered *find(struct table *const *which, const void *key)
{
	struct table *table = __atomic_load_n(which, __ATOMIC_ACQUIRE);
	if (!table)
		return NULL;
	for (size_t i = hash(key, table->capacity);; i = (i + 1) & (table->capacity - 1)) {
		struct registered *entry = __atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
		if (!entry)
			return NULL;
		if (entry->key == key)
			return entry;
	}
}

static void place(struct table *table, struct registered *entry)
{
	size_t i = hash(entry->key, table->capacity);
	while (table->slots[i])
		i = (i + 1) & (table->capacity - 1);
	__atomic_store_n(&table->slots[i], entry, __ATOMIC_RELEASE);
	table->used++;
}

static struct table *grow(struct table *old)
{
	size_t capacity = old ? old->capacity * 2 : FIRST_CAPACITY;
	struct table *table = calloc(1, sizeof(*table) + capacity * sizeof(table->slots[0]));
	if (!table)
		return NULL;
	table->capacity = capacity;
	for (size_t i = 0; old && i < old->capacity; i++) {
		if (old->slots[i] && old->slots[i]->key)
			place(table, old->slots[i]);
	}
	return table;
}

static void add_locked(struct table **which, const struct registered *entry)
{
	struct registered *present = find(which, entry->key);
	if (present) {
		/* Registered by another unit too (a template): the kernel is the same one. */
		return;
	}
	struct table *table = *which;
	if (!table || table->used * 2 >= table->capacity)
		table = grow(table);
	struct registered *copy = malloc(sizeof(*copy));
	if (!table || !copy) {
		free(copy);
		return;
	}
	*copy = *entry;
	if (copy->fatbin) {
		copy->next = copy->fatbin->entries;
		copy->fatbin->entries = copy;
	}
	place(table, copy);
	__atomic_store_n(which, table, __ATOMIC_RELEASE);
}

static void add(struct table **which, const struct registered *entry)
{
	pthread_mutex_lock(&lock);
	add_locked(which, entry);
	pthread_mutex_unlock(&lock);
}

/* Two threads may both load it; then the second one's copy is simply not used. */
static int load_library(struct fatbin *fatbin, CUlibrary *ret_library)
{
	*ret_library = __atomic_load_n(&fatbin->library, __ATOMIC_ACQUIRE);
	if (*ret_library)
		return 0;
	CUlibrary library, none = NULL;
	int result =
		driver.cuLibraryLoadData(&library, fatbin->image, NULL, NULL, 0, NULL, NULL, 0);
	if (result)
		return result;
	if (!__atomic_compare_exchange_n(
		    &fatbin->library, &none, library, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		(void)driver.cuLibraryUnload(library);
		library = none;
	}
	*ret_library = library;
	return 0;
}

int registry_kernel(const void *function, CUkernel *ret_kernel)
{
	struct registered *entry = find(&kernels, function);
	CUlibrary library;
	if (!entry)
		return cudaErrorInvalidDeviceFunction;
	*ret_kernel = __atomic_load_n(&entry->kernel, __ATOMIC_ACQUIRE);
	if (*ret_kernel)
		return 0;
	int result = load_library(entry->fatbin, &library);
	if (result == 0)
		result = driver.cuLibraryGetKernel(ret_kernel, library, entry->name);
	if (result == cudaErrorSymbolNotFound)
		return cudaErrorInvalidDeviceFunction;
	if (result == 0)
		__atomic_store_n(&entry->kernel, *ret_kernel, __ATOMIC_RELEASE);
	return result;
}

void registry_add_handle(CUkernel kernel)
{
	add(&kernels, &(struct registered){.key = kernel, .kernel = kernel});
}

int registry_variable(const void *symbol, CUdeviceptr *ret_address, size_t *ret_bytes)
{
	const struct registered *entry = find(&variables, symbol);
	CUlibrary library;
	if (!entry)
		return cudaErrorInvalidSymbol;
	int result = load_library(entry->fatbin, &library);
	if (result == 0)
		result = sim->define_global(library, entry->name, entry->bytes);
	if (result == 0)
		result = driver.cuLibraryGetGlobal(ret_address, ret_bytes, library, entry->name);
	return result;
}

CUDA_EXPORT void **__cudaRegisterFatBinary(void *image);
void **__cudaRegisterFatBinary(void *image)
{
	struct fatbin *fatbin = calloc(1, sizeof(*fatbin));
	if (fatbin)
		fatbin->image = image;
	return (void **)(void *)fatbin;
}

CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

CUDA_EXPORT char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
	struct fatbin *fatbin = (struct fatbin *)(void *)handle;
	pthread_mutex_lock(&lock);
	for (struct registered *entry = fatbin->entries; entry; entry = entry->next)
		entry->key = NULL;
	fatbin->entries = NULL;
	pthread_mutex_unlock(&lock);
}

CUDA_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
	const char *name, int thread_limit, void *tid, void *bid, void *block, void *grid,
	int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
	int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
	(void)device;
	(void)thread_limit;
	(void)tid;
	(void)bid;
	(void)block;
	(void)grid;
	(void)warp;
	add(&kernels,
		&(struct registered){
			.key = host, .fatbin = (struct fatbin *)(void *)handle, .name = name});
}

CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
	int external, size_t bytes, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
	size_t bytes, int constant, int global)
{
	(void)device;
	(void)external;
	(void)constant;
	(void)global;
	add(&variables, &(struct registered){.key = host,
				.fatbin = (struct fatbin *)(void *)handle,
				.name = name,
				.bytes = bytes});
}

static void fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void register_fork(void)
{
	pthread_atfork(NULL, NULL, fork_child);
}
