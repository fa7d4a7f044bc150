/* SPDX-License-Identifier: MIT */
#include "preload/frameworks/forward.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "preload/linker/linker.h"

struct numbered {
	unsigned left; /* libraries before it */
	char path[1024];
};

static int take_path(struct dl_phdr_info *info, size_t size, void *context)
{
	struct numbered *library = context;
	(void)size;
	if (library->left-- > 0)
		return 0;
	(void)snprintf(library->path, sizeof(library->path), "%s",
		info->dlpi_name != NULL ? info->dlpi_name : "");
	return 1;
}

static void *find_in(const char *path, const char *symbol)
{
	void *library = linker_open(path), *real = NULL;
	if (library != NULL) {
		real = dlsym(library, symbol);
		linker_close(library);
	}
	return real;
}

/* Whichever library has it, the program and ours left out. */
static void *find_anywhere(const char *symbol)
{
	const char *own = linker_own_path();
	void *real = NULL;
	for (unsigned number = 0; real == NULL; number++) {
		struct numbered library = {.left = number};
		if (linker_each(take_path, &library) == 0)
			break;
		if (library.path[0] != '\0' && own != NULL && strcmp(library.path, own) != 0)
			real = find_in(library.path, symbol);
	}
	return real;
}

void *forward_find(struct forward *forward, const void *caller)
{
	int saved = errno;
	Dl_info info;
	void *real = NULL;
	if (dladdr(caller, &info) != 0 && info.dli_fname != NULL)
		real = find_in(info.dli_fname, forward->symbol);
	if (real == NULL)
		real = dlsym(RTLD_NEXT, forward->symbol);
	/* a call that is the last of its function returns to somebody else */
	if (real == NULL)
		real = find_anywhere(forward->symbol);
	__atomic_store_n(&forward->real, real, __ATOMIC_RELAXED);
	errno = saved;
	return real;
}
