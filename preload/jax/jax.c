/* SPDX-License-Identifier: MIT */
#include "preload/jax/jax.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/frameworks/wheel.h"
#include "preload/jax/call.h"
#include "preload/operators/operators.h"
#include "preload/probe/stand_in.h"
#include "preload/python/interpreter.h"
#include "preload/thread/guard.h"

#define MAKER  "PyType_FromSpec"
#define SUFFIX ".PjitFunction"

/* jaxlib keeps all of its code in one of them, by its age. */
static struct wheel wheel = {.source = "jax",
	.libraries = {"libjax_common.so", "xla_extension.so"},
	.absent = "jaxlib is not loaded",
	.version_file = "version.py",
	.version_mark = "_version = \""};

/* The beginning of PyType_Spec. */
struct spec {
	const char *name;
};

static void take(void *type)
{
	int saved = errno;
	if (guard_enter()) {
		const char *reason = call_take(type);
		collector_source("jax", reason == NULL ? "active" : "failed", reason);
		call_record(reason == NULL);
		guard_leave();
	}
	errno = saved;
}

/* In the place of PyType_FromSpec, for this library alone. */
static void *make_type(void *object)
{
	const struct spec *spec = object;
	void *type = frameworks.python_type_from_spec(object);
	size_t length = spec->name == NULL ? 0 : strlen(spec->name), suffix = strlen(SUFFIX);
	if (type != NULL && length > suffix && strcmp(spec->name + length - suffix, SUFFIX) == 0)
		take(type);
	return type;
}

static const char *prepare(const char *path)
{
	uint32_t version = interpreter_find() >> 16;
	if (version < 0x0309 || version > 0x030e || interpreter_is_free_threaded() ||
		frameworks.python_type_from_spec == NULL)
		return "the process has no interpreter whose types are known";
	return stand_in(path, MAKER, (uintptr_t)make_type);
}

static void attach(void)
{
	char path[1024];
	if (wheel_find(&wheel, path, sizeof(path)) == NULL)
		return;
	const char *reason = prepare(path);
	collector_source("jax", reason == NULL ? "absent" : "failed",
		reason == NULL ? "jaxlib had made its types before it was found" : reason);
	(void)pthread_atfork(NULL, NULL, operators_forget);
}

void jax_attach(void)
{
	wheel_attach(&wheel, attach);
}

void jax_enable(bool on)
{
	wheel_enable(&wheel, on);
}
