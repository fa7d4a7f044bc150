/* SPDX-License-Identifier: MIT */
/*
 * What running Python functions were called with. The object whose method is running: the first of
 * the positional arguments of a function that takes any (*args), found among the innermost frames
 * by its name and the end of its file. Told apart by address, never looked into. Own thread only,
 * like everything that looks at frames; no reference is taken.
 */
#ifndef PRELOAD_PYTHON_OWNER_H
#define PRELOAD_PYTHON_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/python/layout.h"

/* What was found the last time, which is looked for first; zeroed: nothing. A thread's own. */
struct owner_found {
	const char *function;           /* as asked for: the same text each time */
	const char *code, *name, *file; /* the code object, and what it had as its texts */
};

/*
 * Address of the object; 0: no such function near, or nothing given to it. function NULL: 1 when
 * any function of a file with that in its path is running, and found is not looked at.
 */
uint64_t owner_of(const struct python_layout *layout, const char *frame, const char *function,
	const char *file, struct owner_found *found);

/*
 * Two small whole numbers that the function was called with, by their positions among its
 * parameters. Looks further out than owner_of(). False: it does not run, or they are none.
 */
struct owner_numbers {
	const char *function, *file; /* name; how the file's name ends */
	unsigned at[2];
};
bool owner_numbers(const struct python_layout *layout, const char *frame,
	const struct owner_numbers *wanted, uint32_t ret_numbers[2]);

/* Of the functions of a file whose name ends like that, the innermost that runs is that one. */
bool owner_runs(const struct python_layout *layout, const char *frame, const char *function,
	const char *file);

#endif
