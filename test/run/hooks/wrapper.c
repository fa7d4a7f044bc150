/* SPDX-License-Identifier: MIT */
/*
 * Another preloaded library: wraps cudaMalloc by the next definition and says so on stderr at
 * the end. With WRAP_DLSYM it interposes dlsym too, as a plain C function.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int cudaMalloc(void **address, size_t size);

static int calls;

#ifdef WRAP_DLSYM
void *dlsym(void *handle, const char *name)
{
	static void *(*next)(void *handle, const char *name);
	if (next == NULL)
		next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	return next(handle, name);
}
#endif

int cudaMalloc(void **address, size_t size)
{
	int (*next)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_NEXT, "cudaMalloc");
	calls++;
	return next == NULL ? 999 : next(address, size);
}

static __attribute__((destructor)) void say(void)
{
	fprintf(stderr, "wrapper: %d\n", calls);
}
