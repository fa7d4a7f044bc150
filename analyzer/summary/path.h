/* SPDX-License-Identifier: MIT */
/*
 * Files of a program as two machines can both name them: below a root that both have. Only text is
 * looked at, since the files may be elsewhere. Pure functions.
 */
#ifndef ANALYZER_SUMMARY_PATH_H
#define ANALYZER_SUMMARY_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The path below root, from "a/./b/../c.py" to "a/c.py"; a relative path begins at directory
 * (absolute, or NULL: at root). False: it lies outside, and ret_path is its last part alone.
 */
bool path_below(
	const char *root, const char *directory, const char *path, char *ret_path, size_t size);

#endif
