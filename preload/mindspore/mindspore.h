/* SPDX-License-Identifier: MIT */
/*
 * MindSpore's operators, waits for data and reads of tensors, through the objects that it makes for
 * its profiler whether that runs or not, and through the consumer of its data sets. Each of ours
 * forwards first and always; nothing of the framework is written or waited for. What runs inside a
 * graph that was compiled as a whole is not among these objects.
 */
#ifndef PRELOAD_MINDSPORE_H
#define PRELOAD_MINDSPORE_H

#include <stdbool.h>

/* Say whether it is there and known, if libraries were loaded since; cheap otherwise. */
void mindspore_attach(void);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void mindspore_enable(bool on);

#endif
