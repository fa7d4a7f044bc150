/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "runtime.h"

#define SELF_OLD 11030 /* cuGetProcAddress with four arguments */
#define SELF_NEW 12000 /* and with five */

enum {
	FLAG_LEGACY = 0,
	FLAG_PER_THREAD = 2
};

struct driver_table driver;
const struct sim_private *sim;
__thread struct runtime_thread runtime_thread;

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static int (*first_get_proc)(const char *, void **, int, uint64_t, int *);
static int loaded;
static int load_error;

static void open_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library)
		return;
	void *symbol = dlsym(library, "cuGetProcAddress_v2");
	memcpy(&first_get_proc, &symbol, sizeof(symbol));
	/* Not something the real runtime does: without it, the first call could not be logged as
	 * the parent of the look-ups that it makes. */
	sim = dlsym(library, "cudasim_private");
}

static void look_up(void *pointer, const char *name, int version, uint64_t flags)
{
	void *function = NULL;
	int status = 0;
	if (driver.cuGetProcAddress(name, &function, version, flags, &status) || !function)
		load_error = cudaErrorInsufficientDriver;
	memcpy(pointer, &function, sizeof(function));
}

/* The order is the real runtime's: nothing, cuInit, the resolver itself twice, all the others. */
static void load_functions(void)
{
	void *unused = NULL;
	int (*old_get_proc)(const char *, void **, int, uint64_t);
	int status = 0;
	driver.cuGetProcAddress = first_get_proc;
	(void)driver.cuGetProcAddress("", &unused, 0, FLAG_LEGACY, &status);
	look_up(&driver.cuInit, "cuInit", 2000, FLAG_LEGACY);
	look_up(&old_get_proc, "cuGetProcAddress", SELF_OLD, FLAG_LEGACY);
	look_up(&driver.cuGetProcAddress, "cuGetProcAddress", SELF_NEW, FLAG_LEGACY);
	if (load_error)
		return;
#define NEED_AS(member, name, version, params) look_up(&driver.member, #name, version, FLAG_LEGACY);
#define NEED_PT_AS(member, name, version, pt_version, params)                                      \
	look_up(&driver.member[0], #name, version, FLAG_LEGACY);                                   \
	look_up(&driver.member[1], #name, pt_version, FLAG_PER_THREAD);
#define NEED(name, version, params) NEED_AS(name, name, version, params)
#define NEED_PT(name, version, pt_version, params)                                                 \
	NEED_PT_AS(name, name, version, pt_version, params)
#include "driver_table.def"
#undef NEED
#undef NEED_PT
#undef NEED_AS
#undef NEED_PT_AS
	sim->attach_runtime(CUDART_MAJOR);
	if (load_error == 0)
		load_error = driver.cuInit(0);
}

static int load(void)
{
	pthread_mutex_lock(&load_lock);
	if (!loaded) {
		load_functions();
		__atomic_store_n(&loaded, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&load_lock);
	return load_error;
}

int runtime_begin(struct sim_call *call, const char *function, unsigned flags)
{
	pthread_once(&open_once, open_driver);
	if (!sim || !first_get_proc)
		return cudaErrorInsufficientDriver;
	int result = sim->call_begin(call, function, SIM_RUNTIME, flags);
	if (result)
		return result;
	return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE) ? load_error : load();
}

int runtime_end(struct sim_call *call, int result)
{
	if (result)
		runtime_thread.last_error = result;
	return sim ? sim->call_end(call, result) : result;
}

int runtime_use_device(int device)
{
	static CUcontext primary[64];
	CUcontext context = NULL;
	int result = driver.cuCtxGetCurrent(&context);
	if (result == 0 && context && !runtime_thread.has_context) {
		/* The program has chosen one with the driver API: that is the one to use. */
		runtime_thread.has_context = 1;
		return driver.cuCtxGetDevice(&runtime_thread.device);
	}
	if (device < 0 || device >= 64)
		return cudaErrorInvalidDevice;
	context = __atomic_load_n(&primary[device], __ATOMIC_ACQUIRE);
	if (result == 0 && !context) {
		result = driver.cuDevicePrimaryCtxRetain(&context, device);
		if (result == 0)
			__atomic_store_n(&primary[device], context, __ATOMIC_RELEASE);
	}
	if (result == 0)
		result = driver.cuCtxSetCurrent(context);
	if (result)
		return result;
	runtime_thread.device = device;
	runtime_thread.has_context = 1;
	return 0;
}

/*
 * The lock is not taken around a fork: the driver's own handlers hold its locks then, and a thread
 * that loads the driver takes them in the other order. A child finds the driver loaded or not.
 */
static void fork_child(void)
{
	pthread_mutex_init(&load_lock, NULL);
}

__attribute__((constructor)) static void register_fork(void)
{
	pthread_atfork(NULL, NULL, fork_child);
}
