/* SPDX-License-Identifier: MIT */
#include "preload/frameworks/frameworks.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "preload/linker/linker.h"

struct frameworks frameworks;

/* Functions and data share the column of pointers: POSIX has dlsym() return both as void *. */
static const struct symbol {
	const char *name;
	void **slot;
	enum framework framework;
	bool needed;
} symbols[] = {
#define NEEDED   true
#define OPTIONAL false
#define FUNCTION(library, type, name, params, symbol, necessity)                                   \
	{symbol, (void **)(void *)&frameworks.library##_##name, FRAMEWORK_##library, necessity},
#define DATA(library, type, name, symbol, necessity)                                               \
	{symbol, (void **)(void *)&frameworks.library##_##name, FRAMEWORK_##library, necessity},
#include "preload/frameworks/frameworks.def"
#undef FUNCTION
#undef DATA
};

struct wanted {
	const char *prefix;
	char *path;
	size_t size;
};

static int match_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct wanted *wanted = context;
	(void)size;
	if (info->dlpi_name == NULL)
		return 0;
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *file = slash == NULL ? info->dlpi_name : slash + 1;
	if (strncmp(file, wanted->prefix, strlen(wanted->prefix)) != 0)
		return 0;
	(void)snprintf(wanted->path, wanted->size, "%s", info->dlpi_name);
	return 1;
}

void *frameworks_find(const char *prefix, char *ret_path, size_t size)
{
	struct wanted wanted = {prefix, ret_path, size};
	if (linker_each(match_library, &wanted) == 0)
		return NULL;
	return linker_keep(ret_path);
}

const char *frameworks_resolve(enum framework framework, void *handle)
{
	const char *missing = NULL;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (symbols[i].framework != framework)
			continue;
		*symbols[i].slot = dlsym(handle == NULL ? RTLD_DEFAULT : handle, symbols[i].name);
		if (*symbols[i].slot == NULL && symbols[i].needed && missing == NULL)
			missing = symbols[i].name;
	}
	return missing;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_adds;
	return 1;
}

void frameworks_search(struct frameworks_search *search, void (*attach)(void))
{
	int saved = errno;
	if (__atomic_exchange_n(&search->busy, 1, __ATOMIC_ACQUIRE) != 0)
		return;
	uint64_t loads = 0;
	(void)linker_each(count_loads, &loads);
	if (loads != search->loads) {
		search->loads = loads;
		attach();
	}
	__atomic_store_n(&search->busy, 0, __ATOMIC_RELEASE);
	errno = saved;
}
