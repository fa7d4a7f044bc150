/* SPDX-License-Identifier: MIT */
/*
 * Checks that the frames of the calling thread lie where the layout says, with reads that
 * cannot fault: code objects, texts and tables of lines must be of their types, positions
 * inside their code. Costs some ten microseconds, so it is done for the first reads only.
 * Own thread only, like everything that looks at frames.
 */
#ifndef PRELOAD_PYTHON_CHECK_H
#define PRELOAD_PYTHON_CHECK_H

#include <stdbool.h>

#include "preload/python/layout.h"

/*
 * True when the innermost frames of the thread state are sound and there is at least one. False
 * with *ret_reason set when the layout is wrong, without when there is no frame to check. thread
 * is not NULL.
 */
bool python_check(const struct python_layout *layout, const char *thread, const char **ret_reason);

#endif
