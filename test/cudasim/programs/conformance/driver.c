/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <string.h>

#include "conformance.h"

/* The driver API alone, as a program without the runtime uses it: everything by dlsym, or by the
 * resolver that dlsym gives, in its old form with four arguments. */

static void *library;
static int (*old_resolver)(const char *, void **, int, uint64_t);

static void *by_name(const char *name)
{
	void *symbol = dlsym(library, name);
	CHECK(symbol != NULL);
	return symbol;
}

static void *by_resolver(const char *name, int version, uint64_t flags)
{
	void *function = NULL;
	CHECK_OK(old_resolver(name, &function, version, flags));
	return function;
}

#define CALL(pointer, params, args) (((int(*) params)(uintptr_t)(pointer))args)

static void check_lookups(void)
{
	void *function = NULL;
	CHECK(by_resolver("cuMemAlloc", 12000, 0) == by_name("cuMemAlloc_v2"));
	CHECK(by_resolver("cuLaunchKernel", 12000, 0) == by_name("cuLaunchKernel"));
	CHECK(by_resolver("cuLaunchKernel", 12000, 2) == by_name("cuLaunchKernel_ptsz"));
	CHECK(by_resolver("cuMemcpyHtoDAsync", 12000, 2) == by_name("cuMemcpyHtoDAsync_v2_ptsz"));
	CHECK(by_resolver("cuGetProcAddress", 11030, 0) == by_name("cuGetProcAddress"));
	CHECK(by_resolver("cuGetProcAddress", 12000, 0) == by_name("cuGetProcAddress_v2"));
	CHECK(by_resolver("cuStreamGetCaptureInfo", 11030, 0) ==
		by_name("cuStreamGetCaptureInfo_v2"));
	CHECK(by_resolver("cuStreamGetCaptureInfo", 12030, 0) ==
		by_name("cuStreamGetCaptureInfo_v3"));
	CHECK_RESULT(old_resolver("cuNothing", &function, 12000, 0), cudaErrorSymbolNotFound);
	CHECK_RESULT(old_resolver("", &function, 0, 0), cudaErrorSymbolNotFound);
	CHECK_RESULT(old_resolver("cuInit", NULL, 12000, 0), cudaErrorInvalidValue);
}

static void check_launch(CUlibrary module)
{
	CUkernel function = NULL;
	CUdeviceptr address = 0;
	const char *name = NULL;
	int value = 7;
	CHECK_OK(CALL(by_name("cuModuleGetFunction"), (CUkernel *, CUlibrary, const char *),
		(&function, module, "slow")));
	CHECK_OK(CALL(by_name("cuFuncGetName"), (const char **, CUkernel), (&name, function)));
	CHECK(name && strcmp(name, "slow") == 0);
	CHECK_OK(CALL(by_name("cuMemAlloc_v2"), (CUdeviceptr *, size_t), (&address, 64)));
	CHECK_OK(CALL(by_name("cuMemcpyHtoD_v2"), (CUdeviceptr, const void *, size_t),
		(address, &value, sizeof(value))));
	uint64_t begin = now_ns();
	CHECK_OK(CALL(by_name("cuLaunchKernel"),
		(CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			CUstream, void **, void **),
		(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL)));
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(CALL(by_name("cuCtxSynchronize"), (void), ()));
	CHECK(has_waited(begin, SLOW_NS));
	value = 0;
	CHECK_OK(CALL(by_name("cuMemcpyDtoH_v2"), (void *, CUdeviceptr, size_t),
		(&value, address, sizeof(value))));
	CHECK(value == 7);
	CHECK_OK(CALL(by_name("cuMemFree_v2"), (CUdeviceptr), (address)));
	CHECK_RESULT(CALL(by_name("cuLaunchKernel"),
			     (CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				     unsigned, CUstream, void **, void **),
			     (function, 0, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL)),
		cudaErrorInvalidValue);
}

/* Code is loaded and unloaded, and a context destroyed, when the device has done its work. */
static void check_waits(CUlibrary module, CUcontext context)
{
	static const char image[16] = "opaque";
	CUkernel function = NULL;
	CUlibrary other = NULL;
	CHECK_OK(CALL(by_name("cuModuleGetFunction"), (CUkernel *, CUlibrary, const char *),
		(&function, module, "slow")));
	for (int i = 0; i < 3; i++) {
		uint64_t begin = now_ns();
		CHECK_OK(CALL(by_name("cuLaunchKernel"),
			(CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				unsigned, CUstream, void **, void **),
			(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL)));
		CHECK(was_early(begin, SLOW_NS));
		if (i == 0)
			CHECK_OK(CALL(by_name("cuModuleLoadData"), (CUlibrary *, const void *),
				(&other, image)));
		else if (i == 1)
			CHECK_OK(CALL(by_name("cuModuleUnload"), (CUlibrary), (other)));
		else
			CHECK_OK(CALL(by_name("cuCtxDestroy_v2"), (CUcontext), (context)));
		CHECK(has_waited(begin, SLOW_NS));
	}
}

void group_driver(void)
{
	static const char image[16] = "opaque";
	CUcontext context = NULL, current = NULL;
	CUlibrary module = NULL;
	CUdeviceptr address = 0;
	CUdevice device = -1;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	CHECK(library != NULL);
	if (!library)
		return;
	void *symbol = by_name("cuGetProcAddress");
	memcpy(&old_resolver, &symbol, sizeof(symbol));
	check_lookups();
	CHECK_RESULT(CALL(by_name("cuDeviceGet"), (CUdevice *, int), (&device, 0)),
		cudaErrorInitializationError);
	CHECK_OK(CALL(by_name("cuInit"), (unsigned), (0)));
	CHECK_OK(CALL(by_name("cuDeviceGet"), (CUdevice *, int), (&device, 0)));
	CHECK_RESULT(CALL(by_name("cuMemAlloc_v2"), (CUdeviceptr *, size_t), (&address, 64)),
		cudaErrorDeviceUninitialized); /* no context is current */
	CHECK_OK(CALL(by_name("cuCtxCreate_v2"), (CUcontext *, unsigned, CUdevice),
		(&context, 0, device)));
	CHECK_OK(CALL(by_name("cuCtxGetCurrent"), (CUcontext *), (&current)));
	CHECK(context && current == context);
	CHECK_OK(CALL(by_name("cuModuleLoadData"), (CUlibrary *, const void *), (&module, image)));
	check_launch(module);
	check_waits(module, context);
	CHECK_OK(CALL(by_name("cuCtxGetCurrent"), (CUcontext *), (&current)));
	CHECK(current == NULL);
}
