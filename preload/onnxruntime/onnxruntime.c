/* SPDX-License-Identifier: MIT */
#include "preload/onnxruntime/onnxruntime.h"

#include <errno.h>
#include <pthread.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/frameworks/wheel.h"
#include "preload/onnxruntime/run.h"
#include "preload/operators/operators.h"
#include "preload/probe/stand_in.h"
#include "preload/python/interpreter.h"
#include "preload/thread/guard.h"

#define MAKER "PyCMethod_New" /* since CPython 3.9; PyCFunction_NewEx is a macro for it */

static struct wheel wheel = {.source = "onnxruntime",
	.libraries = {"onnxruntime_pybind11_state."},
	.absent = "its Python module is not loaded",
	.version_file = "build_and_package_info.py",
	.version_mark = "__version__ = '"};

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
	char path[1024];
	if (wheel_find(&wheel, path, sizeof(path)) == NULL)
		return;
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
	wheel_attach(&wheel, attach);
}

void onnxruntime_enable(bool on)
{
	wheel_enable(&wheel, on);
}
