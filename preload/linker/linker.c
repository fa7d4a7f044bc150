/* SPDX-License-Identifier: MIT */
#include "preload/linker/linker.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "collector/own/descriptor.h"
#include "collector/own/loading.h"
#include "preload/linker/elsewhere.h"
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

/* The name that a library gives itself; NULL: none. */
static const char *soname_of(const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *at = NULL;
	const char *texts = NULL;
	size_t offset = 0;
	for (unsigned i = 0; i < info->dlpi_phnum && at == NULL; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			at = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; at != NULL && at->d_tag != DT_NULL; at++) {
		if (at->d_tag == DT_STRTAB)
			texts = (const char *)at->d_un.d_ptr;
		else if (at->d_tag == DT_SONAME)
			offset = at->d_un.d_val;
	}
	if (texts != NULL && (ElfW(Addr))(uintptr_t)texts < info->dlpi_addr)
		texts += info->dlpi_addr; /* not relocated in place here */
	return texts == NULL || offset == 0 ? NULL : texts + offset;
}

static int look_for_soname(struct dl_phdr_info *info, size_t size, void *soname)
{
	const char *path = info->dlpi_name != NULL ? info->dlpi_name : "";
	const char *slash = strrchr(path, '/'), *own = soname_of(info);
	(void)size;
	return strcmp(slash != NULL ? slash + 1 : path, soname) == 0 ||
	       (own != NULL && strcmp(own, soname) == 0);
}

static void *open_loaded(const char *name, int flags)
{
	linker_init();
	if (linker_dlopen == NULL || !loading_begin())
		return NULL;
	descriptor_hold();
	void *handle = linker_dlopen(name, RTLD_LAZY | RTLD_NOLOAD | flags);
	descriptor_release();
	loading_end();
	return handle;
}

/* The loader would look for what is not loaded in all its folders. */
void *linker_find(const char *soname)
{
	bool loaded = linker_each(look_for_soname, (void *)(uintptr_t)soname) != 0;
	return loaded ? open_loaded(soname, 0) : NULL;
}

void *linker_open(const char *path)
{
	return open_loaded(path, 0);
}

void *linker_keep(const char *path)
{
	return open_loaded(path, RTLD_NODELETE);
}

void linker_close(void *handle)
{
	if (!loading_begin())
		return;
	(void)dlclose(handle);
	loading_end();
}

int linker_each(linker_look *look, void *context)
{
	if (!loading_begin())
		return 0;
	int result = dl_iterate_phdr(look, context);
	loading_end();
	return result;
}

/* What finds something leaves no message, and frees the last one. */
void linker_forget_error(void)
{
	if (linker_dlsym != NULL && !loading_is_lost())
		(void)linker_dlsym(RTLD_DEFAULT, "dlsym");
}

void linker_before_fork(void)
{
	loading_before_fork();
	elsewhere_before_fork();
}

void linker_has_forked(void)
{
	loading_after_fork();
}

void linker_begins_as_child(void)
{
	loading_forget();
	elsewhere_after_fork();
}

bool linker_is_lost(void)
{
	return loading_is_lost();
}

/*
 * dladdr() would look at each of our symbols in order to find the nearest. What is before this
 * library in the loader's list is never taken out of it.
 */
const char *linker_own_path(void)
{
	const struct link_map *map = _r_debug.r_map;
	while (map != NULL && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map != NULL ? map->l_name : NULL;
}
