/* SPDX-License-Identifier: MIT */
#include "preload/cuda/behind.h"

#include "preload/linker/initial.h"
#include "preload/linker/linker.h"

#include <dlfcn.h>
#include <stddef.h>

void *behind_find(void *library, const char *name)
{
	void *own = library == NULL ? NULL : linker_dlsym(library, name);
	void *next = linker_dlsym(RTLD_NEXT, name);
	if (next == NULL || (own != NULL && next != own && !initial_has(next)))
		return own;
	return next;
}
