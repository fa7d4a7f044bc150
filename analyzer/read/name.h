/* SPDX-License-Identifier: MIT */
/*
 * What the name of a file says about it: a trace, the live file beside one, or something else.
 * Pure functions.
 */
#ifndef ANALYZER_READ_NAME_H
#define ANALYZER_READ_NAME_H

#include <stddef.h>

enum name_kind {
	NAME_OTHER,
	NAME_TRACE,
	NAME_LIVE
};

/* The kind of a path, and how many of its characters come before the suffix: all of NAME_OTHER. */
enum name_kind name_parse(const char *path, size_t *ret_stem);

#endif
