/* SPDX-License-Identifier: MIT */
/*
 * The object whose method is running: the first of the positional arguments of a Python function
 * that takes any (*args), found among the innermost frames by its name and the end of its file.
 * Told apart by address, never looked into. Own thread only, like everything that looks at frames;
 * no reference is taken.
 */
#ifndef PRELOAD_PYTHON_OWNER_H
#define PRELOAD_PYTHON_OWNER_H

#include <stdint.h>

#include "preload/python/layout.h"

/* Address of the object; 0: no such function near, or nothing given to it. */
uint64_t owner_of(const struct python_layout *layout, const char *frame, const char *function,
	const char *file);

#endif
