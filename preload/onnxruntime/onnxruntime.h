/* SPDX-License-Identifier: MIT */
/*
 * Calls of ONNX Runtime's sessions from Python, each a step of inference: where its Python module
 * makes the methods of a session, they become ours, which call the true ones. Operators inside of a
 * session are not seen: nothing of what it calls is exported.
 */
#ifndef PRELOAD_ONNXRUNTIME_H
#define PRELOAD_ONNXRUNTIME_H

#include <stdbool.h>

/* Say whether it is there and known, if libraries were loaded since; cheap otherwise. */
void onnxruntime_attach(void);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void onnxruntime_enable(bool on);

#endif
