/* SPDX-License-Identifier: MIT */
#include "preload/cuda/driver.h"

#include "collector/base/hash.h"
#include "preload/calls/calls.h"
#include "preload/cuda/behind.h"
#include "preload/cuda/real.h"
#include "preload/cuda/route.h"
#include "preload/linker/linker.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"
#include "preload/track/kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define KNOWN_BITS     10
#define KNOWN_COUNT    (1u << KNOWN_BITS)
#define NAME_LIMIT     64u
#define PER_THREAD_ASK 2u /* flag of cuGetProcAddress */
#define OLD_VERSION    11030
#define NEW_VERSION    12000

typedef CUresult old_resolver(const char *symbol, void **function, int version, cuuint64_t flags);
typedef CUresult new_resolver(
	const char *symbol, void **function, int version, cuuint64_t flags, int *status);
typedef CUresult name_getter(const char **ret_name, const void *handle);
typedef CUresult context_getter(const void **ret_context);
typedef CUresult device_getter(int *ret_device);

HOOK_EXPORT old_resolver cuGetProcAddress;
HOOK_EXPORT new_resolver cuGetProcAddress_v2;

/* The driver's own. NULL until found, and where the driver is too old. */
static old_resolver *real_old;
static new_resolver *real_new;
static name_getter *function_name, *kernel_name_of;
static context_getter *current_context;
static device_getter *current_device;

static bool disabled;
static int asked_version;
static bool filled;
static const char *failure;

/* Open addressing; entries are never taken out. */
static struct known {
	const void *address;
	void *wrapper;
} known[KNOWN_COUNT];

/* clang-format off */
static const struct row {
	uint16_t id, flags;
	int version;
} rows[] = {
#define HOOK_NAME(library, name)
#define DRIVER_VERSION(name, version, flags) {HOOK_##name, flags, version},
#include "preload/calls/hooks.def"
};

static const struct also {
	const char *asked;
	uint16_t id;
	int version;
} others[] = {
#define HOOK_NAME(library, name)
#define ALSO(version, asked, name) {asked, HOOK_##name, version},
#include "preload/calls/hooks.def"
};
/* clang-format on */

#define ROW_COUNT  (sizeof(rows) / sizeof(rows[0]))
#define ALSO_COUNT (sizeof(others) / sizeof(others[0]))
_Static_assert(ROW_COUNT * 2 + ALSO_COUNT + 4 < KNOWN_COUNT * 3 / 4, "the table stays sparse");

/* The first wrapper of an address stays. Two threads may add the same at once. */
static void remember(const void *address, void *wrapper)
{
	if (address == NULL || wrapper == NULL || address == wrapper)
		return;
	for (unsigned i = 0; i < KNOWN_COUNT; i++) {
		struct known *entry =
			&known[(hash_pointer_bits(address, KNOWN_BITS) + i) % KNOWN_COUNT];
		const void *seen = NULL;
		void *none = NULL;
		if (!__atomic_compare_exchange_n(&entry->address, &seen, address, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
			seen != address)
			continue;
		(void)__atomic_compare_exchange_n(
			&entry->wrapper, &none, wrapper, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
		return;
	}
}

/* Our hook for the driver's function at address, NULL if it is not known. */
static void *wrapper_of(const void *address)
{
	for (unsigned i = 0; i < KNOWN_COUNT; i++) {
		const struct known *entry =
			&known[(hash_pointer_bits(address, KNOWN_BITS) + i) % KNOWN_COUNT];
		const void *seen = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
		if (seen == address)
			return __atomic_load_n(&entry->wrapper, __ATOMIC_ACQUIRE);
		if (seen == NULL)
			return NULL;
	}
	return NULL;
}

/* An exported name as cuGetProcAddress wants it: without _ptsz, _ptds and _v2. */
static void bare_name(const char *name, char *ret_bare)
{
	size_t length = strnlen(name, NAME_LIMIT - 1);
	memcpy(ret_bare, name, length);
	if (length > 5 && memcmp(name + length - 5, "_pt", 3) == 0)
		length -= 5;
	if (length > 3 && memcmp(name + length - 3, "_v", 2) == 0)
		length -= 3;
	ret_bare[length] = '\0';
}

static void *ask(const char *name, int version, cuuint64_t flags)
{
	void *function = NULL;
	int status = 0;
	CUresult result = CUDA_NOT_SUPPORTED;
	if (real_new != NULL)
		result = real_new(name, &function, version, flags, &status);
	else if (real_old != NULL)
		result = real_old(name, &function, version, flags);
	return result == CUDA_SUCCESS_CODE ? function : NULL;
}

/* In two rounds: an exported function is known by its own name before any other. */
static void fill_rows(void *handle)
{
	bool usable[ROW_COUNT];
	for (unsigned i = 0; i < ROW_COUNT; i++) {
		enum hook_id id = (enum hook_id)rows[i].id;
		const void *address = linker_dlsym(handle, calls_name(id));
		usable[i] = address != NULL && address == real_address(id);
		if (usable[i])
			remember(address, calls_wrapper(id));
	}
	for (unsigned i = 0; i < ROW_COUNT; i++) {
		char name[NAME_LIMIT];
		if (!usable[i])
			continue;
		bare_name(calls_name(rows[i].id), name);
		remember(ask(name, rows[i].version,
				 (rows[i].flags & HOOK_PER_THREAD) != 0 ? PER_THREAD_ASK : 0),
			calls_wrapper(rows[i].id));
	}
	for (unsigned i = 0; i < ALSO_COUNT; i++)
		if (linker_dlsym(handle, calls_name(others[i].id)) ==
			real_address((enum hook_id)others[i].id))
			remember(ask(others[i].asked, others[i].version, 0),
				calls_wrapper(others[i].id));
}

/* As real.c settles a row: who has not seen the driver yet only fills what is empty. */
static void settle(void **place, void *handle, const char *name)
{
	void *expected = handle == NULL ? NULL : __atomic_load_n(place, __ATOMIC_ACQUIRE);
	(void)__atomic_compare_exchange_n(place, &expected, behind_find(handle, name), false,
		__ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static void fill_from(void *handle)
{
	if (linker_dlsym == NULL) /* asked before the loader's entry was ever used */
		return;
	void *old = linker_dlsym(handle, "cuGetProcAddress");
	void *new = linker_dlsym(handle, "cuGetProcAddress_v2");
	__atomic_store_n(
		(void **)&function_name, linker_dlsym(handle, "cuFuncGetName"), __ATOMIC_RELEASE);
	__atomic_store_n((void **)&kernel_name_of, linker_dlsym(handle, "cuKernelGetName"),
		__ATOMIC_RELEASE);
	__atomic_store_n((void **)&current_context, linker_dlsym(handle, "cuCtxGetCurrent"),
		__ATOMIC_RELEASE);
	__atomic_store_n(
		(void **)&current_device, linker_dlsym(handle, "cuCtxGetDevice"), __ATOMIC_RELEASE);
	fill_rows(handle);
	if (old == real_old) {
		remember(old, (void *)cuGetProcAddress);
		remember(ask("cuGetProcAddress", OLD_VERSION, 0), (void *)cuGetProcAddress);
	}
	if (new == real_new) {
		remember(new, (void *)cuGetProcAddress_v2);
		remember(ask("cuGetProcAddress", NEW_VERSION, 0), (void *)cuGetProcAddress_v2);
	}
	if (real_address(HOOK_cuLaunchKernel) == NULL)
		failure = "the CUDA driver exports no cuLaunchKernel";
}

/* Threads may meet in here: each does all of it, as real.c says. Keeps errno. */
static void fill(void)
{
	if (__builtin_expect(__atomic_load_n(&filled, __ATOMIC_ACQUIRE), 1))
		return;
	int saved = errno;
	bool entered = guard_enter();
	void *handle = real_resolve_driver();
	if (linker_dlsym != NULL) {
		settle((void **)&real_old, handle, "cuGetProcAddress");
		settle((void **)&real_new, handle, "cuGetProcAddress_v2");
	}
	if (handle != NULL) {
		fill_from(handle);
		__atomic_store_n(&filled, true, __ATOMIC_RELEASE);
	}
	linker_forget_error();
	if (entered)
		guard_leave();
	errno = saved;
}

/*
 * The runtime knows its stubs. An error of its own would be the program's last error, so it is
 * not asked while there is one, and a new one is taken back.
 */
static const char *stub_name(const void *stub)
{
	typedef cudaError_t error_getter(void);
	name_getter *get = (name_getter *)route_lookup("cudaFuncGetName");
	error_getter *peek = (error_getter *)route_lookup("cudaPeekAtLastError");
	error_getter *clear = (error_getter *)route_lookup("cudaGetLastError");
	const char *name = NULL;
	if (route_count() != 1 || get == NULL || peek == NULL || clear == NULL || peek() != 0)
		return NULL;
	if (get(&name, stub) == CUDA_SUCCESS_CODE)
		return name;
	(void)clear();
	return NULL;
}

static const char *handle_name(const void *handle, enum kernel_form form)
{
	const char *name = NULL;
	fill(); /* a program that is linked with the driver has not asked for anything yet */
	if (form == KERNEL_HANDLE || function_name == NULL ||
		function_name(&name, handle) != CUDA_SUCCESS_CODE)
		name = NULL;
	if (name == NULL && kernel_name_of != NULL &&
		kernel_name_of(&name, handle) != CUDA_SUCCESS_CODE)
		name = NULL;
	return name;
}

static void ask_name(const void *handle, enum kernel_form form)
{
	int saved = errno;
	const char *name = form == KERNEL_STUB ? stub_name(handle) : handle_name(handle, form);
	kernel_register_copy(NULL, handle, name, true);
	errno = saved;
}

bool driver_can_name(void)
{
	return __atomic_load_n(&function_name, __ATOMIC_ACQUIRE) != NULL;
}

bool driver_current_context(const void **ret_context)
{
	fill();
	int saved = errno;
	bool answered =
		current_context != NULL && current_context(ret_context) == CUDA_SUCCESS_CODE;
	errno = saved;
	return answered;
}

int driver_current_device(void)
{
	fill();
	int saved = errno, device = -1;
	if (current_device == NULL || current_device(&device) != CUDA_SUCCESS_CODE)
		device = -1;
	errno = saved;
	return device;
}

bool driver_is_enabled(void)
{
	return !__atomic_load_n(&disabled, __ATOMIC_ACQUIRE);
}

void driver_enable(bool enable)
{
	__atomic_store_n(&disabled, !enable, __ATOMIC_RELEASE);
	__atomic_store_n(&kernel_ask, enable ? ask_name : NULL, __ATOMIC_RELEASE);
}

bool driver_found(void)
{
	return real_address(HOOK_cuLaunchKernel) != NULL;
}

const char *driver_failure(void)
{
	return failure;
}

static bool is_resolver(const char *name)
{
	return strcmp(name, "cuGetProcAddress") == 0 || strcmp(name, "cuGetProcAddress_v2") == 0;
}

bool driver_is_known(const char *name)
{
	return name != NULL && (calls_driver_id(name) != HOOK_NONE || is_resolver(name));
}

/* Our own function of that name. */
static const void *own(const char *name)
{
	if (is_resolver(name))
		return name[strlen("cuGetProcAddress")] == '\0' ? (void *)cuGetProcAddress
								: (void *)cuGetProcAddress_v2;
	return calls_wrapper(calls_driver_id(name));
}

void *driver_substitute(void *handle, const char *name, uint64_t *ret_decided)
{
	*ret_decided = 0;
	if (handle == RTLD_NEXT)
		return NULL;
	if (handle != RTLD_DEFAULT && !__atomic_load_n(&disabled, __ATOMIC_ACQUIRE))
		fill();
	void *found = handle == RTLD_DEFAULT ? NULL : linker_dlsym(handle, name);
	if (handle == RTLD_DEFAULT || found == own(name)) {
		/* Only we have it: nothing is found, and the loader's own message says so. */
		*ret_decided =
			real_resolve_driver() == NULL && linker_dlsym(RTLD_NEXT, name) == NULL;
		return NULL;
	}
	if (found == NULL || __atomic_load_n(&disabled, __ATOMIC_ACQUIRE))
		return NULL;
	void *wrapper = wrapper_of(found);
	*ret_decided = wrapper != NULL;
	return wrapper;
}

static void note_version(int version)
{
	int seen = __atomic_load_n(&asked_version, __ATOMIC_RELAXED);
	while (version > seen && !__atomic_compare_exchange_n(&asked_version, &seen, version, true,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

int driver_asked_version(void)
{
	return __atomic_load_n(&asked_version, __ATOMIC_RELAXED);
}

/* What the driver answered, with a hook in the place of a function that has one. */
static CUresult exchange(CUresult result, void **function, int version)
{
	if (result == CUDA_SUCCESS_CODE)
		note_version(version);
	if (result != CUDA_SUCCESS_CODE || function == NULL || *function == NULL ||
		process_tracking == 0 || __atomic_load_n(&disabled, __ATOMIC_ACQUIRE))
		return result;
	void *wrapper = wrapper_of(*function);
	if (wrapper != NULL)
		*function = wrapper;
	return result;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
	fill();
	old_resolver *next = __atomic_load_n(&real_old, __ATOMIC_ACQUIRE);
	if (next == NULL)
		return CUDA_NOT_SUPPORTED;
	return exchange(next(symbol, function, version, flags), function, version);
}

CUresult cuGetProcAddress_v2(
	const char *symbol, void **function, int version, cuuint64_t flags, int *status)
{
	fill();
	new_resolver *next = __atomic_load_n(&real_new, __ATOMIC_ACQUIRE);
	if (next == NULL)
		return CUDA_NOT_SUPPORTED;
	return exchange(next(symbol, function, version, flags, status), function, version);
}
