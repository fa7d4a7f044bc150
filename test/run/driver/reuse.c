/* SPDX-License-Identifier: MIT */
/*
 * reuse LIBRARY: handles of kernels that are used again for others, on a device that gives them
 * out again at once: after an unload of a module, of a library, of a library by the
 * runtime, with functions that came by a kernel or by the library's module. At first the second
 * kernel is made by the program, then by names.c's library, where no hook looks. Prints the
 * kernels.
 */
#include "test/cudasim/cuda_structs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef CUlibrary CUmodule;

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuCtxSetCurrent(CUcontext context);
int cuModuleLoadData(CUmodule *module, const void *image);
int cuModuleGetFunction(CUkernel *function, CUmodule module, const char *name);
int cuModuleUnload(CUmodule module);
int cuLibraryLoadData(CUlibrary *library, const void *image, void *a, void *b, unsigned c, void *d,
	void *e, unsigned f);
int cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
int cuLibraryGetModule(CUmodule *module, CUlibrary library);
int cuKernelGetFunction(CUkernel *function, CUkernel kernel);
int cuLibraryUnload(CUlibrary library);
int cudaLibraryUnload(CUlibrary library);
int cudaLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
int cuLaunchKernel(CUkernel function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
	void **arguments, void **extra);

enum way {
	BY_MODULE,
	BY_KERNEL,
	BY_FUNCTION,
	BY_LIBRARY_MODULE,
	BY_RUNTIME,
	WAYS
};

static int (*make_hidden)(CUlibrary *, CUkernel *, const char *);
static int faults;
static const uint64_t image[8];

#define CHECK(call) (faults += (call) != 0)

static void launch(CUkernel kernel)
{
	CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

static CUkernel load(enum way way, const char *name, CUlibrary *ret_library)
{
	CUkernel kernel = NULL;
	CUmodule module;
	if (way == BY_MODULE) {
		CHECK(cuModuleLoadData(ret_library, image));
		CHECK(cuModuleGetFunction(&kernel, *ret_library, name));
		return kernel;
	}
	CHECK(cuLibraryLoadData(ret_library, image, NULL, NULL, 0, NULL, NULL, 0));
	if (way == BY_LIBRARY_MODULE) {
		CHECK(cuLibraryGetModule(&module, *ret_library));
		CHECK(cuModuleGetFunction(&kernel, module, name));
	} else if (way == BY_RUNTIME) {
		CHECK(cudaLibraryGetKernel(&kernel, *ret_library, name));
	} else {
		CHECK(cuLibraryGetKernel(&kernel, *ret_library, name));
	}
	if (way == BY_FUNCTION)
		CHECK(cuKernelGetFunction(&kernel, kernel));
	return kernel;
}

static void unload(enum way way, CUlibrary library)
{
	if (way == BY_MODULE)
		CHECK(cuModuleUnload(library));
	else if (way == BY_RUNTIME)
		CHECK(cudaLibraryUnload(library));
	else
		CHECK(cuLibraryUnload(library));
}

static void reuse(enum way way, int hidden)
{
	static unsigned number;
	char first[32], second[32];
	CUlibrary library;
	snprintf(first, sizeof(first), "old_%u", ++number);
	snprintf(second, sizeof(second), "new_%u", number);
	CUkernel old = load(way, first, &library), again;
	launch(old);
	unload(way, library);
	if (hidden) {
		CHECK(make_hidden(&library, &again, second));
	} else {
		again = load(way, second, &library);
	}
	CHECK(again != old); /* else nothing is tested */
	launch(again);
	printf("%s %s\n", first, second);
	unload(hidden ? BY_MODULE : way, library);
}

int main(int argc, char **argv)
{
	CUcontext context;
	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	void *maker = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void *make = maker == NULL ? NULL : dlsym(maker, "make_kernel");
	if (make == NULL)
		return 2;
	memcpy(&make_hidden, &make, sizeof(make));
	for (int hidden = 0; hidden < 2; hidden++)
		for (int way = 0; way < WAYS; way++)
			reuse((enum way)way, hidden);
	fprintf(stderr, "%d faults\n", faults);
	return faults != 0 ? 2 : 0;
}
