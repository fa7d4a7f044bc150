/* SPDX-License-Identifier: MIT */
#include "preload/cuda/real.h"

#include "preload/cuda/behind.h"
#include "preload/cuda/route.h"
#include "preload/linker/elsewhere.h"
#include "preload/linker/initial.h"
#include "preload/linker/kernel.h"
#include "preload/linker/linker.h"
#include "preload/linker/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

typedef void *__attribute__((may_alias)) slot;

static uint32_t cuda_generation = UINT32_MAX; /* linker_loads when last resolved */
static bool cuda_found[HOOK_COUNT];

/* Answers for what is not there. Any parameters: the caller cleans up its own. */
static int absent_cudart(void)
{
	return CUDA_NOT_SUPPORTED;
}

static int absent_libc(void)
{
	errno = ENOSYS;
	return -1;
}

static int absent_code(void)
{
	return ENOSYS;
}

static void store(enum hook_id id, void *function)
{
	__atomic_store_n(&((slot *)&real)[id - 1], function, __ATOMIC_RELEASE);
}

/*
 * Without the loader: for this once, or for good where it is lost. NULL: it is to be asked, whoever
 * has its lock.
 */
static void *find_meanwhile(enum hook_id id)
{
	static const char *const sonames[] = {
		"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcuda.so.1"};
	bool is_driver = calls_library[id] == CALLS_cuda;
	if (!elsewhere_loads())
		return NULL;
	void *found = is_driver ? elsewhere_function(calls_name(id), sonames + 3, 1)
				: elsewhere_function(calls_name(id), sonames, 3);
	if (found != NULL && linker_is_lost())
		store(id, found);
	return found;
}

static void *find_cuda(enum hook_id id)
{
	void *meanwhile = find_meanwhile(id);
	if (meanwhile != NULL)
		return meanwhile;
	(void)real_resolve_cuda();
	return cuda_found[id] ? ((slot *)&real)[id - 1] : (void *)absent_cudart;
}

static void *find_driver(enum hook_id id)
{
	void *meanwhile = find_meanwhile(id);
	if (meanwhile != NULL)
		return meanwhile;
	(void)real_resolve_driver();
	return cuda_found[id] ? ((slot *)&real)[id - 1] : (void *)absent_cudart;
}

static void *find_libc(enum hook_id id, void *first, void *absent)
{
	real_resolve_libc();
	void *found = ((slot *)&real)[id - 1];
	return found != first ? found : absent;
}

/*
 * Allocators call these in their first malloc, which a look-up of ours must not be part of: so they
 * are made here until the library starts.
 */
static long first_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return kernel_call(number, a, b, c, d, e, f);
}

static int first_openat(int folder, const char *path, int flags, mode_t mode)
{
	return (int)first_syscall(SYS_openat, folder, (long)path, flags, mode, 0, 0);
}

static int first_open(const char *path, int flags, mode_t mode)
{
	return first_openat(AT_FDCWD, path, flags, mode);
}

/* On these machines all files may be large. */
static int first_open64(const char *path, int flags, mode_t mode)
	__attribute__((alias("first_open")));
static int first_openat64(int folder, const char *path, int flags, mode_t mode)
	__attribute__((alias("first_openat")));

/* What a pointer leads to until its row is resolved. */
/* clang-format off */
#define FIND_cudart(name) find_cuda(HOOK_##name)
#define FIND_cuda(name)   find_driver(HOOK_##name)
#define FIND_libc(name)   find_libc(HOOK_##name, (void *)first_##name, (void *)absent_libc)
#define FIND_code(name)   find_libc(HOOK_##name, (void *)first_##name, (void *)absent_code)
#define FIRST(library, type, name, params, args)                                                   \
	static type first_##name params                                                            \
	{                                                                                          \
		type(*found) params = FIND_##library(name);                                        \
		return found args;                                                                 \
	}
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) \
	FIRST(library, type, name, params, args)
#define WAIT(library, type, name, params, args, what, descriptor, bytes, object) \
	FIRST(library, type, name, params, args)
#define CODE(library, type, name, params, args, what, descriptor, bytes, object) \
	FIRST(code, type, name, params, args)
#define BYHAND(library, type, name, params, args) FIRST_##name(library, type, name, params, args)
#define FIRST_fcntl   FIRST
#define FIRST_fcntl64 FIRST
#define FIRST_write FIRST
#define FIRST_prctl FIRST
#define FIRST_sigaction FIRST
#define FIRST_signal FIRST
#define FIRST_syscall(library, type, name, params, args)
#define FIRST_open FIRST_syscall
#define FIRST_open64 FIRST_syscall
#define FIRST_openat FIRST_syscall
#define FIRST_openat64 FIRST_syscall
#define FIRST_fopen FIRST
#define FIRST_fopen64 FIRST
#define ENDING(library, type, name, params, args, reason, resumes) \
	FIRST(library, type, name, params, args)
#include "preload/calls/hooks.def"

struct real real = {
#define HOOK_NAME(library, name) .name = first_##name,
#include "preload/calls/hooks.def"
};

__asm__(RELATIVE_BEGIN(firsts)
#define HOOK_NAME(library, name) RELATIVE(firsts, first_##name)
#include "preload/calls/hooks.def"
	RELATIVE_END);
/* clang-format on */

extern const int32_t firsts[HOOK_COUNT] __attribute__((visibility("hidden")));

/* The next row of a library, from id on; HOOK_COUNT when there is none. */
static enum hook_id next_of(enum calls_library library, unsigned id)
{
	while (id < HOOK_COUNT && calls_library[id] != library)
		id++;
	return (enum hook_id)id;
}

/*
 * Of two versions of a function a look-up without a version may find the old one, whose objects are
 * others (conditions, before glibc 2.3.2). What another library has put before both is neither.
 */
static void *newest(enum hook_id id, void *found)
{
	const char *name = calls_name(id);
	bool is_one = id == HOOK_pthread_cond_wait || id == HOOK_pthread_cond_timedwait;
	void *newer = found == NULL || !is_one ? NULL : dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	bool is_old = newer != NULL && found == dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
	return is_old ? newer : found;
}

void real_resolve_libc(void)
{
	static bool resolved; /* once is enough: libc is there from the start */
	if (__atomic_load_n(&resolved, __ATOMIC_ACQUIRE))
		return;
	linker_init();
	struct next next;
	next_begin(&next, initial_libraries());
	for (enum hook_id id = next_of(CALLS_libc, 1); id < HOOK_COUNT;
		id = next_of(CALLS_libc, id + 1)) {
		void *found = next_function(&next, calls_name(id));
		if (found == NULL && linker_dlsym != NULL)
			found = newest(id, linker_dlsym(RTLD_NEXT, calls_name(id)));
		if (found != NULL)
			store(id, found);
	}
	linker_forget_error();
	__atomic_store_n(&resolved, linker_dlsym != NULL, __ATOMIC_RELEASE);
}

/*
 * Threads may meet here, and one of them may not have seen the library yet: it only fills what is
 * empty, so that nothing leads back to a definition that itself asks the library, and gets the
 * hook. Rows that route.h has taken over stay with it.
 */
static void settle(enum hook_id id, void *library)
{
	slot *row = &((slot *)&real)[id - 1];
	void *expected = __atomic_load_n(row, __ATOMIC_ACQUIRE);
	if (library == NULL)
		expected = relative_at(firsts, id);
	else if (route_first(id, expected) != expected)
		return;
	void *found = behind_find(library, calls_name(id));
	if (found == NULL)
		return;
	(void)__atomic_compare_exchange_n(
		row, &expected, found, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	__atomic_store_n(&cuda_found[id], true, __ATOMIC_RELEASE);
}

/*
 * One runtime: the next definition in the global scope, which may be another preloaded library,
 * else the runtime's own. Without a runtime nothing is there to be found, but for a program's
 * own look-alike.
 */
static void resolve_single(void)
{
	void *runtime = route_handle();
	if (behind_find(runtime, "cudaMalloc") == NULL &&
		behind_find(runtime, "cudaLaunchKernel") == NULL)
		return;
	for (enum hook_id id = next_of(CALLS_cudart, 1); id < HOOK_COUNT;
		id = next_of(CALLS_cudart, id + 1))
		if (runtime != NULL || !cuda_found[id])
			settle(id, runtime);
}

/* Several: every call goes through route.h, which knows the caller's. */
static void resolve_routed(void)
{
	for (enum hook_id id = next_of(CALLS_cudart, 1); id < HOOK_COUNT;
		id = next_of(CALLS_cudart, id + 1)) {
		void *found = route_add(id, (void *)absent_cudart);
		if (found == NULL)
			continue;
		store(id, found);
		__atomic_store_n(&cuda_found[id], true, __ATOMIC_RELEASE);
	}
}

/*
 * Threads may meet in here; each does all of it, because waiting for another would wait for the
 * loader's lock as well. Done is noted last.
 */
int real_resolve_cuda(void)
{
	static int resolved = -1; /* with so many runtimes */
	uint32_t generation = __atomic_load_n(&linker_loads, __ATOMIC_ACQUIRE);
	if (__builtin_expect(generation == __atomic_load_n(&cuda_generation, __ATOMIC_ACQUIRE), 1))
		return resolved;
	linker_init();
	if (linker_dlsym == NULL || linker_dlopen == NULL)
		return 0;
	int saved = errno;
	int count = route_find_runtimes();
	if (count > 1 && count != __atomic_load_n(&resolved, __ATOMIC_ACQUIRE))
		resolve_routed();
	else if (count <= 1 && (count == 0 || count != resolved))
		resolve_single();
	linker_forget_error();
	__atomic_store_n(&resolved, count, __ATOMIC_RELEASE);
	__atomic_store_n(&cuda_generation, generation, __ATOMIC_RELEASE);
	errno = saved;
	return count;
}

/* As resolve_single() does. */
static void resolve_driver(void *handle)
{
	if (handle == NULL && behind_find(NULL, "cuInit") == NULL &&
		behind_find(NULL, "cuMemAlloc_v2") == NULL &&
		behind_find(NULL, "cuLaunchKernel") == NULL)
		return;
	for (enum hook_id id = next_of(CALLS_cuda, 1); id < HOOK_COUNT;
		id = next_of(CALLS_cuda, id + 1))
		settle(id, handle);
}

/* Threads may meet in here too. */
void *real_resolve_driver(void)
{
	static void *driver;
	static uint32_t driver_generation = UINT32_MAX;
	void *handle = __atomic_load_n(&driver, __ATOMIC_ACQUIRE);
	uint32_t generation = __atomic_load_n(&linker_loads, __ATOMIC_ACQUIRE);
	if (handle != NULL || generation == __atomic_load_n(&driver_generation, __ATOMIC_ACQUIRE))
		return handle;
	linker_init();
	if (linker_dlsym == NULL || linker_dlopen == NULL)
		return NULL;
	int saved = errno;
	handle = linker_find("libcuda.so.1");
	resolve_driver(handle);
	linker_forget_error();
	__atomic_store_n(&driver, handle, __ATOMIC_RELEASE);
	__atomic_store_n(&driver_generation, generation, __ATOMIC_RELEASE);
	errno = saved;
	return handle;
}

int real_major(void)
{
	return route_major();
}

void *real_address(enum hook_id id)
{
	return cuda_found[id] ? route_first(id, ((slot *)&real)[id - 1]) : NULL;
}

const char *real_runtime_path(void)
{
	return route_path();
}
