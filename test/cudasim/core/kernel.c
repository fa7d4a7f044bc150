/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "log.h"
#include "memory.h"
#include "settings.h"
#include "state.h"

#define LIBRARY_MAGIC    0x4c49425241525931ull
#define KERNEL_MAGIC     0x4b45524e454c2d31ull
#define FATBIN_WRAPPER   0x466243b1u
#define FATBIN_ALTERNATE 0x466243b2u

/* What __cudaRegisterFatBinary gets: a wrapper that points to the binary. */
struct fatbin_wrapper {
	uint32_t magic;
	uint32_t version;
	const void *data;
	void *unused;
};

static const struct cudasim_image *find_image(const void *data)
{
	const struct fatbin_wrapper *wrapper = data;
	uint64_t magic;
	if (wrapper->magic == FATBIN_WRAPPER || wrapper->magic == FATBIN_ALTERNATE)
		data = wrapper->data;
	if (!data)
		return NULL;
	memcpy(&magic, data, sizeof(magic));
	return magic == CUDASIM_IMAGE_MAGIC ? data : NULL;
}

/* What was unloaded and may be given out again, latest first. */
static CUkernel spare_kernels;
static struct spare {
	struct spare *next;
	CUlibrary library;
} * spare_libraries;

static CUlibrary take_library(void)
{
	state_lock();
	struct spare *spare = spare_libraries;
	if (spare)
		spare_libraries = spare->next;
	state_unlock();
	if (!spare)
		return calloc(1, sizeof(struct CUlib_st));
	CUlibrary library = spare->library;
	free(spare);
	memset(library, 0, sizeof(*library));
	return library;
}

static CUkernel take_kernel(void)
{
	state_lock();
	CUkernel kernel = spare_kernels;
	if (kernel)
		spare_kernels = kernel->next;
	state_unlock();
	if (!kernel)
		return calloc(1, sizeof(*kernel));
	memset(kernel, 0, sizeof(*kernel));
	return kernel;
}

/* Names stay: the log may not have been written yet. */
static void give_back(CUlibrary library)
{
	struct spare *spare = malloc(sizeof(*spare));
	state_lock();
	while (library->kernels) {
		CUkernel kernel = library->kernels;
		library->kernels = kernel->next;
		kernel->next = spare_kernels;
		spare_kernels = kernel;
	}
	if (spare) {
		*spare = (struct spare){spare_libraries, library};
		spare_libraries = spare;
	}
	state_unlock();
}

CUlibrary library_load(const void *data)
{
	CUlibrary library = take_library();
	if (library) {
		library->magic = LIBRARY_MAGIC;
		library->image = find_image(data);
	}
	return library;
}

CUlibrary library_module(CUlibrary library)
{
	if (library->module)
		return library->module;
	CUlibrary module = take_library();
	if (!module)
		return NULL;
	module->magic = LIBRARY_MAGIC;
	module->image = library->image;
	module->whole = library;
	library->module = module;
	return module;
}

void library_unload(CUlibrary library)
{
	if (library->module)
		library_unload(library->module);
	library->magic = 0;
	for (CUkernel kernel = library->kernels; kernel; kernel = kernel->next)
		kernel->magic = 0;
	if (settings_get()->reuse)
		give_back(library);
}

int library_is_valid(CUlibrary library)
{
	return library && library->magic == LIBRARY_MAGIC;
}

int kernel_is_valid(CUkernel kernel)
{
	return kernel && kernel->magic == KERNEL_MAGIC;
}

/* The name as a person reads it, in allocated memory; a copy of name if it is not mangled. */
static char *demangle(const char *name)
{
	static char *(*demangle_symbol)(const char *, char *, size_t *, int *);
	int status = 0;
	if (strncmp(name, "_Z", 2))
		return strdup(name);
	if (!demangle_symbol) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
		memcpy(&demangle_symbol, &symbol, sizeof(symbol));
	}
	char *result = demangle_symbol ? demangle_symbol(name, NULL, NULL, &status) : NULL;
	return result ? result : strdup(name);
}

static void set_duration(CUkernel kernel)
{
	const struct sim_settings *settings = settings_get();
	kernel->duration_ns = settings->kernel_ns;
	kernel->duration_is_default = 1;
	if (settings->rule_count == 0)
		return;
	char *name = demangle(kernel->name);
	for (size_t i = 0; name && i < settings->rule_count; i++) {
		if (fnmatch(settings->rules[i].glob, name, 0) == 0) {
			kernel->duration_ns = settings->rules[i].duration_ns;
			kernel->duration_is_default = 0;
			break;
		}
	}
	free(name);
}

void kernel_not_computed(CUkernel kernel)
{
	char line[240];
	if (kernel->noted)
		return;
	kernel->noted = 1;
	log_note("not computed", kernel->name);
	if (!settings_get()->tell)
		return;
	char *name = demangle(kernel->name);
	int length = snprintf(line, sizeof(line),
		"simulated GPU: not computed, so what it writes stays as it was: %.150s\n",
		name ? name : kernel->name);
	if (write(2, line, (size_t)length) < 0)
		kernel->noted = 1; /* nobody listens */
	free(name);
}

static CUkernel find_kernel_locked(CUlibrary library, const char *name)
{
	CUkernel kernel = library->kernels;
	while (kernel && strcmp(kernel->name, name))
		kernel = kernel->next;
	return kernel;
}

CUkernel library_kernel(CUlibrary library, const char *name)
{
	const struct cudasim_kernel *description = NULL;
	if (library->whole)
		library = library->whole;
	state_lock();
	CUkernel kernel = find_kernel_locked(library, name);
	state_unlock();
	if (kernel)
		return kernel;
	if (library->image && !(description = library->image->lookup(name)))
		return NULL;
	kernel = take_kernel();
	char *copy = strdup(name);
	if (!kernel || !copy) {
		free(kernel);
		free(copy);
		return NULL;
	}
	kernel->magic = KERNEL_MAGIC;
	kernel->library = library;
	kernel->name = copy;
	kernel->description = description;
	set_duration(kernel);
	state_lock();
	kernel->next = library->kernels;
	library->kernels = kernel;
	state_unlock();
	return kernel;
}

const struct global *library_global(CUlibrary library, const char *name)
{
	if (library->whole)
		library = library->whole;
	state_lock();
	struct global *global = library->globals;
	while (global && strcmp(global->name, name))
		global = global->next;
	state_unlock();
	return global;
}

int library_define_global(void *handle, const char *name, size_t bytes)
{
	CUlibrary library = handle;
	if (!library_is_valid(library) || !context_current())
		return cudaErrorInvalidResourceHandle;
	if (library_global(library, name))
		return 0;
	struct global *global = calloc(1, sizeof(*global));
	char *copy = strdup(name);
	void *address = memory_alloc_device(context_device(), bytes);
	if (!global || !copy || !address) {
		free(global);
		free(copy);
		return cudaErrorMemoryAllocation;
	}
	global->name = copy;
	global->address = address;
	global->bytes = bytes;
	state_lock();
	global->next = library->globals;
	library->globals = global;
	state_unlock();
	return 0;
}

uint64_t kernel_duration_ns(CUkernel kernel, const struct compute_launch *launch)
{
	const struct cudasim_kernel *description = kernel->description;
	if (kernel->duration_is_default && description && description->duration_ns)
		return description->duration_ns(launch);
	return kernel->duration_ns;
}
