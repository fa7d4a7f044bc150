/* SPDX-License-Identifier: MIT */
/*
 * TensorFlow's operators, functions and waits for data, through tsl::profiler::TraceMe: the
 * framework hands each to TraceMeRecorder::Record when it ends, if a level is set, which its
 * profiler does. We set the level too and stand in for Record; what was noted for us alone is not
 * handed on, so nothing accumulates. While the framework's profiler runs it gets what it asked for.
 */
#ifndef PRELOAD_TENSORFLOW_H
#define PRELOAD_TENSORFLOW_H

#include <stdbool.h>

/* Say whether it is there and known, if libraries were loaded since; cheap otherwise. */
void tensorflow_attach(void);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void tensorflow_enable(bool on);

#endif
