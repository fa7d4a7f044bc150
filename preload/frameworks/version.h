/* SPDX-License-Identifier: MIT */
/*
 * Versions of frameworks, from text files beside their libraries: no symbol tells them. For
 * attaching only.
 */
#ifndef PRELOAD_FRAMEWORKS_VERSION_H
#define PRELOAD_FRAMEWORKS_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The text after mark in the file name of the folder in which library lies, up to a quote, a space
 * or the line's end; false when that is no number.
 */
bool frameworks_version(
	const char *library, const char *name, const char *mark, char *ret_text, size_t size);

#endif
