/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose handles no hook has seen being made: a library makes them with functions that it
 * looks up behind itself (RTLD_NEXT), where no preloaded name is found. Built with -DMAKER it is
 * that library.
 */
#include "test/cudasim/cuda_abi.h"

#include <dlfcn.h>
#include <stdio.h>

typedef int loader(CUlibrary *module, const void *image);
typedef int getter(CUkernel *function, CUlibrary module, const char *name);
typedef int maker(CUlibrary *ret_module, CUkernel *ret_function, const char *name);
maker make_kernel;

#ifdef MAKER
int make_kernel(CUlibrary *ret_module, CUkernel *ret_function, const char *name)
{
	static const uint64_t image[8];
	loader *load = (loader *)dlsym(RTLD_NEXT, "cuModuleLoadData");
	getter *get = (getter *)dlsym(RTLD_NEXT, "cuModuleGetFunction");
	if (load == NULL || get == NULL)
		return 999;
	int result = load(ret_module, image);
	return result != 0 ? result : get(ret_function, *ret_module, name);
}
#else
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuCtxSetCurrent(CUcontext context);
int cuModuleUnload(CUlibrary module);
int cuStreamCreate(CUstream *stream, unsigned flags);
int cuStreamBeginCapture_v2(CUstream stream, int mode);
int cuStreamEndCapture(CUstream stream, CUgraph *graph);
int cuLaunchKernel(CUkernel function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
	void **arguments, void **extra);

static int launch(CUkernel function, CUstream stream)
{
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

int main(int argc, char **argv)
{
	CUcontext context;
	CUlibrary first, second;
	CUkernel early, late;
	CUstream stream;
	CUgraph graph;
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	maker *make = library == NULL ? NULL : (maker *)dlsym(library, "make_kernel");
	if (make == NULL)
		return 2;
	int faults = cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
		     cuCtxSetCurrent(context) || cuStreamCreate(&stream, 1);
	faults += make(&first, &early, "unseen_kernel") || make(&second, &late, "captured_kernel");
	faults += launch(early, stream) != 0;
	faults += cuStreamBeginCapture_v2(stream, 0) != 0;
	faults += launch(late, stream) != 0; /* not asked for while a graph is made */
	faults += cuStreamEndCapture(stream, &graph) != 0;
	faults += launch(late, stream) != 0;
	faults += cuModuleUnload(first) != 0;
	faults += launch(early, stream) == 0; /* gone */
	faults += launch(late, stream) != 0;
	printf("%d faults\n", faults);
	return faults != 0;
}
#endif
