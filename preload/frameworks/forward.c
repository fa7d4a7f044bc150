/* SPDX-License-Identifier: MIT */
#include "preload/frameworks/forward.h"

#include <dlfcn.h>
#include <errno.h>

void *forward_find(struct forward *forward, const void *caller)
{
	int saved = errno;
	Dl_info info;
	void *library = NULL, *real = NULL;
	if (dladdr(caller, &info) != 0 && info.dli_fname != NULL)
		library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (library != NULL) {
		real = dlsym(library, forward->symbol);
		(void)dlclose(library);
	}
	if (real == NULL)
		real = dlsym(RTLD_NEXT, forward->symbol);
	__atomic_store_n(&forward->real, real, __ATOMIC_RELAXED);
	errno = saved;
	return real;
}
