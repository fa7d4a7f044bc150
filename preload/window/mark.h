/* SPDX-License-Identifier: MIT */
/*
 * What ends a step, by its name: the rows of analyzer/names/opname.def that do, for what has to be
 * known while nothing is recorded. Pure.
 */
#ifndef PRELOAD_WINDOW_MARK_H
#define PRELOAD_WINDOW_MARK_H

#include <stddef.h>

#include "collector/buffer/pause.h"

/* PAUSE_KINDS: none. The text need not be terminated; NULL is none. */
enum pause_kind mark_of_operator(const char *text, size_t length);

/* The same of a range that the program marks itself. */
enum pause_kind mark_of_range(const char *text, size_t length);

#endif
