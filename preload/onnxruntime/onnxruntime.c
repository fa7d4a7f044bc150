/* SPDX-License-Identifier: MIT */
#include "preload/onnxruntime/onnxruntime.h"

#include <errno.h>
#include <pthread.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/frameworks/version.h"
#include "preload/onnxruntime/run.h"
#include "preload/operators/operators.h"
#include "preload/probe/stand_in.h"
#include "preload/python/interpreter.h"
#include "preload/thread/guard.h"

#define LIBRARY "onnxruntime_pybind11_state."
#define MAKER   "PyCMethod_New" /* since CPython 3.9; PyCFunction_NewEx is a macro for it */

static int attached; /* it was looked at, with success or without */
static bool enabled = true;

/* In the place of PyCMethod_New, for this library alone. */
static void *make_method(struct method *method, void *self, void *module, void *class)
{
	int saved = errno;
	if (guard_enter()) {
		if (run_take(method))
			collector_source("onnxruntime", "active",
				"operators inside of a session are not seen");
		guard_leave();
	}
	errno = saved;
	return frameworks.python_method(method, self, module, class);
}

static void attach(void)
{
	char path[1024], version[64];
	void *library = frameworks_find(LIBRARY, path, sizeof(path));
	static bool told;
	if (library == NULL) {
		if (!told)
			collector_source(
				"onnxruntime", "absent", "its Python module is not loaded");
		told = true;
		return;
	}
	__atomic_store_n(&attached, 1, __ATOMIC_RELEASE);
	if (frameworks_version(
		    path, "build_and_package_info.py", "__version__ = '", version, sizeof(version)))
		collector_version("onnxruntime", version);
	const char *reason = interpreter_find() == 0 || frameworks.python_method == NULL
				     ? "the interpreter has no " MAKER
				     : stand_in(path, MAKER, (uintptr_t)make_method);
	collector_source("onnxruntime", reason == NULL ? "absent" : "failed",
		reason == NULL ? "its Python module had made its methods before it was found"
			       : reason);
	(void)pthread_atfork(NULL, NULL, operators_forget);
}

void onnxruntime_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&attached, __ATOMIC_ACQUIRE) == 0)
		frameworks_search(&search, attach);
}

void onnxruntime_enable(bool on)
{
	enabled = on;
	if (!on)
		collector_source("onnxruntime", "off", NULL);
}
