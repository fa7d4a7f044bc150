/* SPDX-License-Identifier: MIT */
/*
 * A program that uses the CUDA driver alone. Its functions come from one of the places that real
 * programs take them from:
 *	calls dlsym|deepbind|old|new [ptsz]	dlopen and dlsym of the handle, the same opened with
 *		RTLD_DEEPBIND, cuGetProcAddress with four arguments, with five (each looks itself
 *		up first); ptsz: the forms with a default stream per thread
 *	calls direct				built with -DDIRECT: linked with libcuda
 * Built with -DLIBRARY it has no main(); CALLS_FROM is the place.
 * Built with -DEARLY it is a library that looks everything up in its constructor.
 */
#include "test/cudasim/cuda_structs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/marks/user/libtrace.h"

typedef unsigned long long address;

/* F(asked name, version, exported name, suffix of the per-thread form or NULL, parameters) */
#define FUNCTIONS                                                                                  \
	F(cuInit, 2000, cuInit, NULL, (unsigned))                                                  \
	F(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain, NULL, (CUcontext *, int))      \
	F(cuCtxSetCurrent, 4000, cuCtxSetCurrent, NULL, (CUcontext))                               \
	F(cuModuleLoadData, 2000, cuModuleLoadData, NULL, (CUlibrary *, const void *))             \
	F(cuModuleGetFunction, 2000, cuModuleGetFunction, NULL,                                    \
		(CUkernel *, CUlibrary, const char *))                                             \
	F(cuModuleUnload, 2000, cuModuleUnload, NULL, (CUlibrary))                                 \
	F(cuLibraryLoadData, 12000, cuLibraryLoadData, NULL,                                       \
		(CUlibrary *, const void *, void *, void *, unsigned, void *, void *, unsigned))   \
	F(cuLibraryGetKernel, 12000, cuLibraryGetKernel, NULL,                                     \
		(CUkernel *, CUlibrary, const char *))                                             \
	F(cuLibraryUnload, 12000, cuLibraryUnload, NULL, (CUlibrary))                              \
	F(cuKernelGetFunction, 12000, cuKernelGetFunction, NULL, (CUkernel *, CUkernel))           \
	F(cuLaunchKernel, 7000, cuLaunchKernel, "_ptsz",                                           \
		(CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
			CUstream, void **, void **))                                               \
	F(cuLaunchCooperativeKernel, 9000, cuLaunchCooperativeKernel, "_ptsz",                     \
		(CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
			CUstream, void **))                                                        \
	F(cuLaunchKernelEx, 11060, cuLaunchKernelEx, "_ptsz",                                      \
		(const struct cu_launch_config *, CUkernel, void **, void **))                     \
	F(cuLaunchHostFunc, 10000, cuLaunchHostFunc, "_ptsz",                                      \
		(CUstream, cuda_host_function *, void *))                                          \
	F(cuMemAlloc, 3020, cuMemAlloc_v2, NULL, (address *, size_t))                              \
	F(cuMemFree, 3020, cuMemFree_v2, NULL, (address))                                          \
	F(cuMemAllocHost, 3020, cuMemAllocHost_v2, NULL, (void **, size_t))                        \
	F(cuMemFreeHost, 2000, cuMemFreeHost, NULL, (void *))                                      \
	F(cuMemAllocAsync, 11020, cuMemAllocAsync, "_ptsz", (address *, size_t, CUstream))         \
	F(cuMemFreeAsync, 11020, cuMemFreeAsync, "_ptsz", (address, CUstream))                     \
	F(cuMemcpy, 7000, cuMemcpy, "_ptds", (address, address, size_t))                           \
	F(cuMemcpyAsync, 7000, cuMemcpyAsync, "_ptsz", (address, address, size_t, CUstream))       \
	F(cuMemcpyHtoD, 7000, cuMemcpyHtoD_v2, "_ptds", (address, const void *, size_t))           \
	F(cuMemcpyDtoH, 7000, cuMemcpyDtoH_v2, "_ptds", (void *, address, size_t))                 \
	F(cuMemcpyDtoD, 7000, cuMemcpyDtoD_v2, "_ptds", (address, address, size_t))                \
	F(cuMemcpyHtoDAsync, 7000, cuMemcpyHtoDAsync_v2, "_ptsz",                                  \
		(address, const void *, size_t, CUstream))                                         \
	F(cuMemcpyDtoHAsync, 7000, cuMemcpyDtoHAsync_v2, "_ptsz",                                  \
		(void *, address, size_t, CUstream))                                               \
	F(cuMemcpyDtoDAsync, 7000, cuMemcpyDtoDAsync_v2, "_ptsz",                                  \
		(address, address, size_t, CUstream))                                              \
	F(cuMemcpy2D, 7000, cuMemcpy2D_v2, "_ptds", (const struct cu_memcpy_2d *))                 \
	F(cuMemcpy3DAsync, 7000, cuMemcpy3DAsync_v2, "_ptsz",                                      \
		(const struct cu_memcpy_3d *, CUstream))                                           \
	F(cuMemsetD8, 7000, cuMemsetD8_v2, "_ptds", (address, unsigned char, size_t))              \
	F(cuMemsetD16Async, 7000, cuMemsetD16Async, "_ptsz",                                       \
		(address, unsigned short, size_t, CUstream))                                       \
	F(cuMemsetD32Async, 7000, cuMemsetD32Async, "_ptsz",                                       \
		(address, unsigned, size_t, CUstream))                                             \
	F(cuMemsetD2D8, 7000, cuMemsetD2D8_v2, "_ptds",                                            \
		(address, size_t, unsigned char, size_t, size_t))                                  \
	F(cuStreamCreate, 2000, cuStreamCreate, NULL, (CUstream *, unsigned))                      \
	F(cuStreamDestroy, 4000, cuStreamDestroy_v2, NULL, (CUstream))                             \
	F(cuStreamSynchronize, 7000, cuStreamSynchronize, "_ptsz", (CUstream))                     \
	F(cuStreamQuery, 7000, cuStreamQuery, "_ptsz", (CUstream))                                 \
	F(cuStreamWaitEvent, 7000, cuStreamWaitEvent, "_ptsz", (CUstream, CUevent, unsigned))      \
	F(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2, "_ptsz", (CUstream, int))          \
	F(cuStreamEndCapture, 10000, cuStreamEndCapture, "_ptsz", (CUstream, CUgraph *))           \
	F(cuGraphInstantiate, 11040, cuGraphInstantiateWithFlags, NULL,                            \
		(CUgraphExec *, CUgraph, unsigned long long))                                      \
	F(cuGraphLaunch, 10000, cuGraphLaunch, "_ptsz", (CUgraphExec, CUstream))                   \
	F(cuEventCreate, 2000, cuEventCreate, NULL, (CUevent *, unsigned))                         \
	F(cuEventRecord, 7000, cuEventRecord, "_ptsz", (CUevent, CUstream))                        \
	F(cuEventQuery, 2000, cuEventQuery, NULL, (CUevent))                                       \
	F(cuEventSynchronize, 2000, cuEventSynchronize, NULL, (CUevent))                           \
	F(cuCtxSynchronize, 2000, cuCtxSynchronize, NULL, (void))

static struct {
#define F(name, version, exported, suffix, params) int(*name) params;
	FUNCTIONS
#undef F
} cu;

typedef int old_resolver(const char *, void **, int, uint64_t);
typedef int new_resolver(const char *, void **, int, uint64_t, int *);

static __attribute__((unused)) void fail(const char *what)
{
	printf("FAULT %s\n", what);
	exit(1);
}

#ifdef DIRECT
#define F(name, version, exported, suffix, params) int exported params;
FUNCTIONS
#undef F

static void look_up(const char *place, int per_thread)
{
	(void)place;
	(void)per_thread;
#define F(name, version, exported, suffix, params) cu.name = exported;
	FUNCTIONS
#undef F
}
#else
static void *self(void *library, const char *name, int is_new)
{
	void *resolver = dlsym(library, name);
	void *found = NULL;
	int status = -1;
	if (resolver == NULL)
		fail(name);
	if (is_new)
		((new_resolver *)resolver)("cuGetProcAddress", &found, 12000, 0, &status);
	else
		((old_resolver *)resolver)("cuGetProcAddress", &found, 11030, 0);
	return found != NULL ? found : resolver;
}

static void look_up(const char *place, int per_thread)
{
	int deep = strcmp(place, "deepbind") == 0 ? RTLD_DEEPBIND : 0;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | deep);
	old_resolver *old = NULL;
	new_resolver *new = NULL;
	if (library == NULL)
		fail(dlerror());
	if (strcmp(place, "old") == 0)
		old = (old_resolver *)self(library, "cuGetProcAddress", 0);
	if (strcmp(place, "new") == 0)
		new = (new_resolver *)self(library, "cuGetProcAddress_v2", 1);
#define F(name, version, exported, suffix, params)                                                 \
	{                                                                                          \
		void *found = NULL;                                                                \
		int status = -1;                                                                   \
		const char *more = suffix;                                                         \
		char text[64];                                                                     \
		snprintf(text, sizeof(text), "%s%s", #exported,                                    \
			per_thread &&more != NULL ? more : "");                                    \
		if (new != NULL)                                                                   \
			new (#name, &found, version, per_thread ? 2 : 0, &status);                 \
		else if (old != NULL)                                                              \
			old(#name, &found, version, per_thread ? 2 : 0);                           \
		else                                                                               \
			found = dlsym(library, text);                                              \
		if (found == NULL)                                                                 \
			fail(text);                                                                \
		memcpy(&cu.name, &found, sizeof(found));                                           \
	}
	FUNCTIONS
#undef F
}
#endif

#define CHECK(call)                                                                                \
	do {                                                                                       \
		int check_result = cu.call;                                                        \
		printf("%s: %d\n", #call, check_result);                                           \
	} while (0)

static void on_host(void *data)
{
	(void)data;
}

static CUkernel kernels[3];
static CUlibrary library;

static void load(const char *first, const char *second, const char *third)
{
	static const uint64_t image[8];
	CUlibrary module;
	CHECK(cuModuleLoadData(&module, image));
	CHECK(cuModuleGetFunction(&kernels[0], module, first));
	CHECK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
	CHECK(cuLibraryGetKernel(&kernels[1], library, second));
	CUkernel kernel;
	CHECK(cuLibraryGetKernel(&kernel, library, third));
	CHECK(cuKernelGetFunction(&kernels[2], kernel));
	CHECK(cuLaunchKernel(kernels[0], 1, 2, 3, 4, 5, 6, 77, NULL, NULL, NULL));
	CHECK(cuLaunchKernel(kernels[1], 9, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	CHECK(cuLaunchKernel(kernels[2], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	CHECK(cuLaunchCooperativeKernel(kernels[2], 2, 1, 1, 8, 1, 1, 0, NULL, NULL));
	struct cu_launch_config config = {{6, 5, 4}, {3, 2, 1}, 16, NULL, NULL, 0};
	CHECK(cuLaunchKernelEx(&config, kernels[0], NULL, NULL));
	CHECK(cuLaunchKernel(kernels[0], 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	CHECK(cuModuleUnload(module));
	CHECK(cuLibraryUnload(library));
}

static void copies(address device, char *pinned, CUstream stream)
{
	static char pageable[4096];
	struct cu_memcpy_2d rows = {.source_type = 1,
		.source_host = pageable,
		.source_pitch = 64,
		.target_type = 2,
		.target_device = device,
		.target_pitch = 64,
		.width = 32,
		.height = 4};
	struct cu_memcpy_3d box = {.source_type = 2,
		.source_device = device,
		.source_pitch = 64,
		.source_height = 2,
		.target_type = 1,
		.target_host = pinned,
		.target_pitch = 64,
		.target_height = 2,
		.width = 16,
		.height = 2,
		.depth = 2};
	CHECK(cuMemcpyHtoD(device, pageable, 4096));
	CHECK(cuMemcpyHtoD(device, pinned, 1000));
	CHECK(cuMemcpyDtoH(pageable, device, 100));
	CHECK(cuMemcpyDtoD(device, device + 2048, 256));
	CHECK(cuMemcpy(device, (uintptr_t)pinned, 128));
	CHECK(cuMemcpyAsync((uintptr_t)pageable, device, 64, stream));
	CHECK(cuMemcpyHtoDAsync(device, pinned, 640, stream));
	CHECK(cuMemcpyDtoHAsync(pinned, device, 320, stream));
	CHECK(cuMemcpyDtoDAsync(device, device + 1024, 512, stream));
	CHECK(cuMemcpy2D(&rows));
	CHECK(cuMemcpy3DAsync(&box, stream));
	CHECK(cuMemsetD8(device, 1, 99));
	CHECK(cuMemsetD16Async(device, 2, 88, stream));
	CHECK(cuMemsetD32Async(device, 3, 77, stream));
	CHECK(cuMemsetD2D8(device, 64, 4, 32, 5));
	CHECK(cuMemsetD8(0, 1, 10));
}

static void waits(CUstream stream)
{
	CUevent event;
	CHECK(cuEventCreate(&event, 0));
	CHECK(cuEventRecord(event, stream));
	CHECK(cuStreamWaitEvent(NULL, event, 0));
	CHECK(cuLaunchHostFunc(stream, on_host, NULL));
	CHECK(cuEventSynchronize(event));
	CHECK(cuEventQuery(event));
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuStreamQuery(stream));
	CHECK(cuStreamSynchronize(NULL));
	CHECK(cuCtxSynchronize());
}

static void graph(address device, CUstream stream)
{
	CUgraph made;
	CUgraphExec exec;
	CHECK(cuStreamBeginCapture(stream, 0));
	CHECK(cuMemsetD32Async(device, 3, 7, stream));
	CHECK(cuStreamEndCapture(stream, &made));
	CHECK(cuGraphInstantiate(&exec, made, 0));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuStreamSynchronize(stream));
}

int calls_run(void);
int calls_run(void)
{
#ifdef LIBRARY
	const char *place = getenv("CALLS_FROM");
	look_up(place != NULL ? place : "dlsym", 0);
#endif
	CUcontext context;
	address device, pooled;
	CUstream stream;
	void *pinned;
	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuMemAlloc(&device, 4096));
	CHECK(cuMemAllocHost(&pinned, 4096));
	CHECK(cuStreamCreate(&stream, 1));
	load("first_kernel", "second_kernel", "third_kernel");
	load("fourth_kernel", "fifth_kernel", "first_kernel");
	copies(device, pinned, stream);
	waits(stream);
	graph(device, stream);
	CHECK(cuMemAllocAsync(&pooled, 512, stream));
	CHECK(cuMemFreeAsync(pooled, stream));
	CHECK(cuStreamDestroy(stream));
	CHECK(cuMemFreeHost(pinned));
	CHECK(cuMemFree(device));
	return 0;
}

#ifdef EARLY
static __attribute__((constructor)) void early(void)
{
	const char *place = getenv("CALLS_FROM");
	look_up(place != NULL ? place : "new", 0);
}
#elif !defined(LIBRARY)
int main(int argc, char **argv)
{
	if (getenv("CALLS_LATE") != NULL) {
		/* recording begins, and is described, before there is a driver */
		libtrace_end(libtrace_begin("before"));
		(void)usleep(200000);
	}
	look_up(argc > 1 ? argv[1] : "direct", argc > 2);
	return calls_run();
}
#endif
