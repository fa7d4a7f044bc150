/* SPDX-License-Identifier: MIT */
/*
 * The functions of a shared library or program, from its file, and whether calls of them can be
 * traced by LIBTRACE_PROBE. Not thread-safe.
 */
#ifndef ANALYZER_SYMBOLS_H
#define ANALYZER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbols_function {
	const char *name;    /* as compiled; valid during the call */
	const char *refused; /* why no call can be traced; NULL: calls from other libraries can */
	bool inside;         /* calls from within its own library can be traced, too */
};

/* Told once for each function that fits, in the order of the file. 0: go on. */
typedef int symbols_visit(void *context, const struct symbols_function *function);

/*
 * Those whose name, as compiled or as qualified C++ name, fits pattern (* and ?; NULL: all). 0,
 * what visit returned, -errno when the file cannot be read, or -ENOEXEC with *ret_reason when it is
 * none that the dynamic linker loads here.
 */
int symbols_read(const char *path, const char *pattern, symbols_visit *visit, void *context,
	const char **ret_reason);

#endif
