/* SPDX-License-Identifier: MIT */
#include "collector/gpu/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/err.h"
#include "collector/own/loading.h"

struct gpu_library gpu_library;
__thread uint32_t gpu_calling LINKAGE_TLS;

/* Until 11.8 every release had a name of its own. */
static const struct soname {
	const char *name;
	int major;
} sonames[] = {{"libcupti.so.13", 13}, {"libcupti.so.12", 12}, {"libcupti.so.11.8", 11},
	{"libcupti.so.11.7", 11}, {"libcupti.so.11.6", 11}, {"libcupti.so.11.5", 11},
	{"libcupti.so.11.4", 11}, {"libcupti.so.11.3", 11}, {"libcupti.so.11.2", 11},
	{"libcupti.so.11.1", 11}, {"libcupti.so.11.0", 11}};

#define SONAME_COUNT (sizeof(sonames) / sizeof(sonames[0]))

/* From the runtime's folder: in one with it (wheels since 13, toolkit), or in one of its own. */
static const char *const folders[] = {
	"", "../../cuda_cupti/lib/", "../extras/CUPTI/lib64/", "../../../extras/CUPTI/lib64/"};

static bool fits(const struct gpu_options *options, const struct soname *soname)
{
	return options->runtime_major == 0 || options->runtime_major == soname->major;
}

static int refuse(char *ret_reason, const struct gpu_options *options, const char *name)
{
	(void)snprintf(ret_reason, GPU_REASON_BYTES,
		"%s does not fit the CUDA runtime, which is %d", name, options->runtime_major);
	return -ERR_UNSUPPORTED;
}

/* One that is mapped, and is not by us from now on. */
static bool is_mapped(const struct gpu_options *options, const struct soname *soname)
{
	void *handle = options->open(soname->name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle != NULL)
		(void)dlclose(handle);
	return handle != NULL;
}

/*
 * The one that is mapped and fits; a process may hold several. NULL: none is, and *ret_unfit is the
 * name of one that does not fit, if there is.
 */
static void *find_mapped(
	const struct gpu_options *options, const char **ret_name, const char **ret_unfit)
{
	for (unsigned i = 0; i < SONAME_COUNT; i++) {
		if (!fits(options, &sonames[i])) {
			if (*ret_unfit == NULL && is_mapped(options, &sonames[i]))
				*ret_unfit = sonames[i].name;
			continue;
		}
		void *handle = options->open(sonames[i].name, RTLD_LAZY | RTLD_NOLOAD);
		if (handle != NULL) {
			*ret_name = sonames[i].name;
			return handle;
		}
	}
	return NULL;
}

static void *open_beside(const struct gpu_options *options, const char *name)
{
	const char *slash =
		options->runtime_path != NULL ? strrchr(options->runtime_path, '/') : NULL;
	void *handle = NULL;
	for (unsigned i = 0;
		slash != NULL && handle == NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char path[PATH_MAX];
		int length = snprintf(path, sizeof(path), "%.*s/%s%s",
			(int)(slash - options->runtime_path), options->runtime_path, folders[i],
			name);
		if (length > 0 && (size_t)length < sizeof(path))
			handle = options->open(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle;
}

static void *find(const struct gpu_options *options)
{
	void *handle = NULL;
	for (unsigned i = 0; handle == NULL && i < SONAME_COUNT; i++)
		if (fits(options, &sonames[i]))
			handle = open_beside(options, sonames[i].name);
	for (unsigned i = 0; handle == NULL && i < SONAME_COUNT; i++)
		if (fits(options, &sonames[i]))
			handle = options->open(sonames[i].name, RTLD_NOW | RTLD_LOCAL);
	return handle;
}

/* The first function that is needed and absent, or NULL. */
static const char *resolve(const struct gpu_options *options, void *handle)
{
	const char *missing = NULL;
#define GPU_FUNCTION(function, params, needed)                                                     \
	*(void **)(void *)&gpu_library.function = options->symbol(handle, #function);              \
	if ((needed) && gpu_library.function == NULL && missing == NULL)                           \
		missing = #function;
#include "collector/gpu/functions.def"
	gpu_library.handle = handle;
	return missing;
}

static void *take(const struct gpu_options *options, const char **ret_name, const char **ret_unfit)
{
	void *handle = find_mapped(options, ret_name, ret_unfit);
	return handle == NULL && *ret_unfit == NULL ? find(options) : handle;
}

static int open_and_resolve(const struct gpu_options *options, char *ret_reason)
{
	const char *name = "libcupti", *unfit = NULL;
	void *handle = take(options, &name, &unfit);
	if (handle == NULL && options->other_major != 0) {
		struct gpu_options other = *options;
		other.runtime_major = options->other_major;
		unfit = NULL;
		handle = take(&other, &name, &unfit);
	}
	if (handle == NULL && unfit != NULL)
		return refuse(ret_reason, options, unfit);
	if (handle == NULL) {
		(void)snprintf(ret_reason, GPU_REASON_BYTES, "no libcupti was found");
		return -ENOENT;
	}
	const char *missing = resolve(options, handle);
	if (missing == NULL)
		return 0;
	(void)snprintf(ret_reason, GPU_REASON_BYTES, "%s has no %s", name, missing);
	return -ERR_UNSUPPORTED;
}

int gpu_library_open(const struct gpu_options *options, char *ret_reason)
{
	if (!loading_begin()) {
		(void)snprintf(ret_reason, GPU_REASON_BYTES, "no library can be loaded here");
		return -ENOENT;
	}
	int code = open_and_resolve(options, ret_reason);
	loading_end();
	return code;
}
