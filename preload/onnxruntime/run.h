/* SPDX-License-Identifier: MIT */
/*
 * The methods of a session that run it, in the place of the true ones. All functions of the Python
 * module are one C function, which finds out by itself what it is called for. The caller has the
 * interpreter's lock.
 */
#ifndef PRELOAD_ONNXRUNTIME_RUN_H
#define PRELOAD_ONNXRUNTIME_RUN_H

#include <stdbool.h>

/* Of three arguments or four, by its flags: one that takes three leaves the last one alone. */
typedef void *method_function(void *self, void *arguments, void *more, void *keywords);

/* The beginning of a PyMethodDef: the same in all versions of CPython. */
struct method {
	const char *name;
	method_function *call;
	int flags;
};

/* A method is about to be made: true when its calls are recorded from now on. */
bool run_take(struct method *method);

#endif
