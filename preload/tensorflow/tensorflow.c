/* SPDX-License-Identifier: MIT */
#include "preload/tensorflow/tensorflow.h"

#include <dlfcn.h>

#include "collector/describe.h"
#include "preload/frameworks/wheel.h"
#include "preload/operators/operators.h"
#include "preload/tensorflow/event.h"
#include "preload/tensorflow/level.h"

#include <pthread.h>

#define LIBRARY "libtensorflow_framework.so"
#define LEVEL   "_ZN3tsl8profiler8internal13g_trace_levelE"

static struct wheel wheel = {
	.source = "tensorflow", .libraries = {LIBRARY}, .absent = LIBRARY " is not loaded"};

static void refuse(const char *reason)
{
	level_drop();
	collector_source("tensorflow", "failed", reason);
}

static const char *missing(void *library)
{
#if defined(__aarch64__)
	(void)library;
	return "this processor's calls are not known";
#else
	if (dlsym(library, tensorflow_functions[TENSORFLOW_RECORD].symbol) == NULL ||
		dlsym(library, tensorflow_functions[TENSORFLOW_STOP].symbol) == NULL ||
		(dlsym(library, tensorflow_functions[TENSORFLOW_START].symbol) == NULL &&
			dlsym(library, tensorflow_functions[TENSORFLOW_START_FILTERED].symbol) ==
				NULL))
		return LIBRARY " has no TraceMeRecorder as it is known";
	return dlsym(library, LEVEL) == NULL ? LIBRARY " has no level as it is known" : NULL;
#endif
}

static void attach(void)
{
	char path[1024];
	void *library = wheel_find(&wheel, path, sizeof(path));
	if (library == NULL)
		return;
	const char *reason = missing(library);
	const char *(*version)(void) = dlsym(library, "TF_Version");
	if (version != NULL)
		collector_version("tensorflow", version());
	if (reason != NULL) {
		collector_source("tensorflow", "failed", reason);
		return;
	}
	(void)pthread_atfork(NULL, NULL, operators_forget);
	collector_source("tensorflow", "active", NULL);
	event_begin(refuse);
	level_set(dlsym(library, LEVEL));
}

void tensorflow_attach(void)
{
	wheel_attach(&wheel, attach);
}

void tensorflow_enable(bool on)
{
	wheel_enable(&wheel, on);
}
