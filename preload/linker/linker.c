/* SPDX-License-Identifier: MIT */
#include "preload/linker/linker.h"

#include <dlfcn.h>
#include <stddef.h>

typedef void *__attribute__((may_alias)) slot;

void *(*linker_dlsym)(void *handle, const char *name);
void *(*linker_dlopen)(const char *path, int flags);
uint32_t linker_loads = 1;

/* dlvsym is not interposed and not ours, so it is the way to the true dlsym. */
static void *libc_function(const char *name)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
	void *found = NULL;
	for (unsigned i = 0; found == NULL && i < sizeof(versions) / sizeof(versions[0]); i++)
		found = dlvsym(RTLD_NEXT, name, versions[i]);
	return found;
}

void linker_init(void)
{
	if (__atomic_load_n(&linker_dlopen, __ATOMIC_ACQUIRE) != NULL)
		return;
	void *lookup = libc_function("dlsym");
	void *open = libc_function("dlopen");
	__atomic_store_n((slot *)&linker_dlsym, lookup, __ATOMIC_RELEASE);
	__atomic_store_n((slot *)&linker_dlopen, open, __ATOMIC_RELEASE);
}
