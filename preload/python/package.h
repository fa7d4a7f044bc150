/* SPDX-License-Identifier: MIT */
/*
 * Packages that were installed elsewhere than in site-packages (pip install --target, a checkout
 * that was installed in place): their metadata lies beside them. What the program's own folder or
 * the current one holds is the user's, with or without metadata.
 *
 * Any thread. Looks at the file system once for each folder, without the heap.
 */
#ifndef PRELOAD_PACKAGE_H
#define PRELOAD_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The file of a code object, as it says, belongs to such a package. */
bool package_is_installed(const char *file, size_t length);

#endif
