/* SPDX-License-Identifier: MIT */
/*
 * The level from which on TensorFlow notes what it does. The framework's profiler sets it from
 * "none" to its own and back; ours is set while it does not run, and counts while it is higher.
 * Any thread.
 */
#ifndef PRELOAD_TENSORFLOW_LEVEL_H
#define PRELOAD_TENSORFLOW_LEVEL_H

#include <stdbool.h>

/* place: the framework's variable. From here on everything is noted that matters to a user. */
void level_set(int *place);

/* Nothing is wanted any more; the framework's profiler is not touched. */
void level_drop(void);

/* The framework's profiler is about to start; it has started or not; it has stopped. */
void level_profiler_starts(void);
void level_profiler_started(bool started);
void level_profiler_stopped(void);

/* The framework's profiler runs, and wants what is noted. */
bool level_is_shared(void);

#endif
