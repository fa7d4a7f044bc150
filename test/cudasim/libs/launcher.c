/* SPDX-License-Identifier: MIT */
#include "launcher.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cuda_abi.h"

enum {
	DRIVER_VERSION = 12000, /* of the functions asked for */
	NOT_INITIALIZED = 3,
	KERNELS_KEPT = 64,
};

typedef int get_address_fn(
	const char *name, void **ret_function, int version, uint64_t flags, int *ret_status);
typedef int load_fn(CUlibrary *ret_library, const void *image, void *options, void *values,
	unsigned count, void *more_options, void *more_values, unsigned more_count);
typedef int get_kernel_fn(CUkernel *ret_kernel, CUlibrary library, const char *name);
typedef int launch_fn(CUkernel kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
	launch_stream stream, void **parameters, void **extra);
typedef int wait_fn(launch_stream stream);
typedef int get_context_fn(void **ret_context);
typedef int set_context_fn(void *context);

static struct {
	load_fn *load;
	get_kernel_fn *get_kernel;
	launch_fn *launch;
	wait_fn *wait;
	get_context_fn *get_context;
	set_context_fn *set_context;
	CUlibrary library;
} driver;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static const struct cudasim_kernel *lookup(const char *name)
{
	for (const struct cudasim_kernel *kernel = launcher_kernels; kernel->name; kernel++)
		if (!strcmp(kernel->name, name))
			return kernel;
	return NULL;
}

static const struct cudasim_image image = {CUDASIM_IMAGE_MAGIC, 1, lookup};

static void open_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	get_address_fn *get;
	int status;

	if (!library)
		return;
	get = (get_address_fn *)dlsym(library, "cuGetProcAddress_v2");
	if (!get || get("cuLibraryLoadData", (void **)&driver.load, DRIVER_VERSION, 0, &status) ||
		get("cuLibraryGetKernel", (void **)&driver.get_kernel, DRIVER_VERSION, 0,
			&status) ||
		get("cuStreamSynchronize", (void **)&driver.wait, DRIVER_VERSION, 0, &status) ||
		get("cuCtxGetCurrent", (void **)&driver.get_context, DRIVER_VERSION, 0, &status) ||
		get("cuCtxSetCurrent", (void **)&driver.set_context, DRIVER_VERSION, 0, &status) ||
		get("cuLaunchKernel", (void **)&driver.launch, DRIVER_VERSION, 0, &status))
		return;
	if (driver.load(&driver.library, &image, NULL, NULL, 0, NULL, NULL, 0))
		driver.library = NULL;
}

/* The driver is asked for a kernel once, as the vendors' libraries do. */
static int get_kernel(const char *name, CUkernel *ret_kernel)
{
	static CUkernel kept[KERNELS_KEPT]; /* in the order of launcher_kernels */
	size_t number = 0;
	while (launcher_kernels[number].name && strcmp(launcher_kernels[number].name, name))
		number++;
	if (number >= KERNELS_KEPT)
		return driver.get_kernel(ret_kernel, driver.library, name);
	*ret_kernel = __atomic_load_n(&kept[number], __ATOMIC_ACQUIRE);
	if (*ret_kernel)
		return 0;
	int result = driver.get_kernel(ret_kernel, driver.library, name);
	if (result == 0)
		__atomic_store_n(&kept[number], *ret_kernel, __ATOMIC_RELEASE);
	return result;
}

int launcher_launch(
	const char *kernel, struct launch_shape shape, launch_stream stream, void *parameters)
{
	void *arguments[] = {parameters};
	CUkernel handle;
	int result;

	pthread_once(&driver_once, open_driver);
	if (!driver.library)
		return NOT_INITIALIZED;
	result = get_kernel(kernel, &handle);
	if (result)
		return result;
	return driver.launch(handle, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
		shape.block[1], shape.block[2], shape.shared_bytes, stream, arguments, NULL);
}

int launcher_wait(launch_stream stream)
{
	pthread_once(&driver_once, open_driver);
	return driver.wait ? driver.wait(stream) : NOT_INITIALIZED;
}

int launcher_get_context(void **ret_context)
{
	pthread_once(&driver_once, open_driver);
	return driver.library ? driver.get_context(ret_context) : NOT_INITIALIZED;
}

int launcher_set_context(void *context)
{
	pthread_once(&driver_once, open_driver);
	return driver.library ? driver.set_context(context) : NOT_INITIALIZED;
}

/* Whether it is the first time. */
static int is_new(const char *what)
{
	static const char *told[8];

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		const char *none = NULL;

		if (__atomic_compare_exchange_n(
			    &told[i], &none, what, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return 1;
		if (none == what)
			return 0;
	}
	return 0;
}

int launcher_affords(const char *what, double operations, const char *value)
{
	const char *limit = getenv("CUDASIM_LIMIT"), *tell = getenv("CUDASIM_TELL");
	double most = limit ? strtod(limit, NULL) : 0;
	char line[200];

	if (most <= 0 || operations <= most)
		return 1;
	if (!tell || *tell != '1' || !is_new(what))
		return 0;
	int length = snprintf(line, sizeof(line),
		"simulated GPU: %s of %.0f million operations is too large to be computed here "
		"(CUDASIM_LIMIT): %s\n",
		what, operations / 1e6, value);
	if (write(2, line, (size_t)length) < 0)
		line[0] = '\0'; /* nobody listens */
	return 0;
}
