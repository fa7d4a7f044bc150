/* SPDX-License-Identifier: MIT */
#include "preload/mindspore/mindspore.h"

#include <dlfcn.h>
#include <pthread.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/frameworks/version.h"
#include "preload/mindspore/event.h"
#include "preload/operators/operators.h"
#include "preload/python/interpreter.h"

#define LIBRARY "libmindspore_profiler.so"

static int attached; /* it was looked at, with success or without */
static bool enabled = true;

static void refuse(const char *reason)
{
	collector_source("mindspore", "failed", reason);
}

static const char *missing(void *library)
{
#if defined(__aarch64__)
	(void)library;
	return "this processor's calls are not known";
#else
	return dlsym(library, mindspore_functions[MINDSPORE_STAGE].symbol) == NULL ||
			       dlsym(library, mindspore_functions[MINDSPORE_STAGE_END].symbol) ==
				       NULL
		       ? LIBRARY " has no ProfilerRecorder as it is known"
		       : NULL;
#endif
}

static void attach(void)
{
	char path[1024], version[64];
	void *library = frameworks_find(LIBRARY, path, sizeof(path));
	static bool told;
	if (library == NULL) {
		if (!told)
			collector_source("mindspore", "absent", LIBRARY " is not loaded");
		told = true;
		return;
	}
	__atomic_store_n(&attached, 1, __ATOMIC_RELEASE);
	if (frameworks_version(path, "../version.py", "__version__ = '", version, sizeof(version)))
		collector_version("mindspore", version);
	const char *reason = missing(library);
	if (reason != NULL) {
		refuse(reason);
		return;
	}
	(void)pthread_atfork(NULL, NULL, operators_forget);
	(void)interpreter_find(); /* which reads a graph's name */
	collector_source("mindspore", "active",
		"what runs inside a graph that was compiled as a whole is not seen");
	mindspore_record(refuse);
}

void mindspore_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&attached, __ATOMIC_ACQUIRE) == 0)
		frameworks_search(&search, attach);
}

void mindspore_enable(bool on)
{
	enabled = on;
	if (!on)
		collector_source("mindspore", "off", NULL);
}
