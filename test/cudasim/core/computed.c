/* SPDX-License-Identifier: MIT */
#include "computed.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"

#define LIBRARY "libcudasim_compute.so"

static struct {
	int (*kernel)(const char *name, const struct compute_launch *launch);
	void *(*capture)(const char *name, const struct compute_launch *launch);
	int (*replay)(void *captured);
	void (*release)(void *captured);
} real;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runtime_major;

static void resolve(void *library, const char *name, void *pointer)
{
	void *symbol = dlsym(library, name);
	memcpy(pointer, &symbol, sizeof(symbol));
}

static void load(void)
{
	char path[4096];
	Dl_info self;
	if (!settings_get()->compute || !dladdr(&once, &self) || !self.dli_fname)
		return;
	const char *slash = strrchr(self.dli_fname, '/');
	int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
	snprintf(path, sizeof(path), "%.*s%s", folder, self.dli_fname, LIBRARY);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	resolve(library, "compute_kernel", &real.kernel);
	resolve(library, "compute_capture", &real.capture);
	resolve(library, "compute_replay", &real.replay);
	resolve(library, "compute_release", &real.release);
}

int computed_kernel(const char *name, struct compute_launch *launch)
{
	pthread_once(&once, load);
	launch->cudart = runtime_major;
	return real.kernel ? real.kernel(name, launch) : 0;
}

void *computed_capture(const char *name, struct compute_launch *launch)
{
	pthread_once(&once, load);
	launch->cudart = runtime_major;
	return real.capture ? real.capture(name, launch) : NULL;
}

int computed_replay(void *captured)
{
	return captured && real.replay ? real.replay(captured) : 0;
}

void computed_release(void *captured)
{
	if (captured && real.release)
		real.release(captured);
}

void computed_attach_runtime(int major)
{
	runtime_major = major;
}

int computed_runtime(void)
{
	return runtime_major;
}
