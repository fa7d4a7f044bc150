/* SPDX-License-Identifier: MIT */
#include "preload/mindspore/mindspore.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/frameworks/wheel.h"
#include "preload/mindspore/event.h"
#include "preload/mindspore/pipeline.h"
#include "preload/operators/operators.h"
#include "preload/python/interpreter.h"

#define LIBRARY "libmindspore_profiler.so"

static struct wheel wheel = {.source = "mindspore",
	.libraries = {LIBRARY},
	.absent = LIBRARY " is not loaded",
	.version_file = "../version.py",
	.version_mark = "__version__ = '"};

/* The data sets' library. */
static struct wheel data = {.source = "mindspore_pipeline",
	.libraries = {"_c_dataengine"},
	.absent = "_c_dataengine is not loaded"};

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

static const char *missing_of_data(void *library)
{
#if defined(__aarch64__)
	(void)library;
	return "call of this processor that is known";
#else
	const char *row = mindspore_functions[MINDSPORE_ROW].symbol;
	const char *queue = mindspore_functions[MINDSPORE_QUEUE].symbol;
	if (dlsym(library, row) == NULL)
		return row;
	return dlsym(library, queue) == NULL ? queue : pipeline_find(library);
#endif
}

static void attach_data(void)
{
	char path[1024], reason[160];
	void *library = wheel_find(&data, path, sizeof(path));
	if (library == NULL)
		return;
	const char *none = missing_of_data(library);
	(void)snprintf(reason, sizeof(reason), "_c_dataengine has no %s", none != NULL ? none : "");
	collector_source(
		data.source, none == NULL ? "active" : "absent", none == NULL ? NULL : reason);
}

static void attach(void)
{
	char path[1024];
	void *library = wheel_find(&wheel, path, sizeof(path));
	if (library == NULL)
		return;
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
	wheel_attach(&wheel, attach);
	if (__atomic_load_n(&wheel.attached, __ATOMIC_ACQUIRE) != 0)
		wheel_attach(&data, attach_data);
}

void mindspore_enable(bool on)
{
	wheel_enable(&wheel, on);
}
