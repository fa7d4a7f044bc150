/* SPDX-License-Identifier: MIT */
/*
 * PaddlePaddle's operators, gradient nodes, ranges and waits for data, through phi::RecordEvent and
 * the readers of its DataLoader: the framework opens and closes its events whether its own profiler
 * runs or not, and we stand in for the functions that do so (interposed.def). Each forwards first
 * and always; nothing of the framework is written or waited for.
 *
 * A step of an optimiser is Python code that no function of the library encloses: it is what lies
 * between the first and the last update of a parameter that follow each other (step.h).
 */
#ifndef PRELOAD_PADDLE_H
#define PRELOAD_PADDLE_H

#include <stdbool.h>

/* Say whether it is there and known, if libraries were loaded since; cheap otherwise. */
void paddle_attach(void);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void paddle_enable(bool on);

#endif
