/* SPDX-License-Identifier: MIT */
#include "preload/linker/linker.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "collector/own/descriptor.h"
#include "preload/linker/initial.h"

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
	initial_note();
	void *lookup = libc_function("dlsym");
	void *open = libc_function("dlopen");
	__atomic_store_n((slot *)&linker_dlsym, lookup, __ATOMIC_RELEASE);
	__atomic_store_n((slot *)&linker_dlopen, open, __ATOMIC_RELEASE);
}

/* In loader_*.S: our dlsym, whoever has one before it. */
extern const char linker_own_dlsym[] __attribute__((weak, visibility("hidden")));

bool linker_is_behind(void)
{
	return linker_dlsym != NULL &&
	       linker_dlsym(RTLD_DEFAULT, "dlsym") != (const void *)linker_own_dlsym;
}

void *linker_find(const char *soname)
{
	descriptor_hold();
	void *handle = linker_dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
	descriptor_release();
	return handle;
}

/* What finds something leaves no message, and frees the last one. */
void linker_forget_error(void)
{
	if (linker_dlsym != NULL)
		(void)linker_dlsym(RTLD_DEFAULT, "dlsym");
}

static int look_for_own(struct dl_phdr_info *info, size_t size, void *context)
{
	const char **path = context;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum && *path == NULL; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC &&
			info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == (uintptr_t)_DYNAMIC)
			*path = info->dlpi_name;
	return *path != NULL;
}

/* dladdr() would look at each of our symbols in order to find the nearest. */
const char *linker_own_path(void)
{
	const char *path = NULL;
	(void)dl_iterate_phdr(look_for_own, &path);
	return path;
}
