/* SPDX-License-Identifier: MIT */
/*
 * The list of LIBTRACE_PROBE, and how much each of its patterns has found. Filled by one thread at
 * a time (the one that attaches), read by any. No allocation.
 */
#ifndef PRELOAD_PROBE_PATTERNS_H
#define PRELOAD_PROBE_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERNS_LIMIT 64u

struct pattern {
	const char *library, *function; /* not terminated */
	size_t library_length, function_length;
	uint32_t libraries;  /* that it fits and that were loaded */
	uint32_t functions;  /* found in them */
	const char *refused; /* why one that it fits cannot be traced; NULL: all of them can */
};

struct patterns {
	struct pattern items[PATTERNS_LIMIT];
	unsigned count;
};

/*
 * Read a list; the patterns point into it. What is not a pattern, and what comes behind the last
 * possible one, is left out; *ret_bad is the first of it, or NULL.
 */
void patterns_read(const char *list, struct patterns *ret_patterns, const char **ret_bad);

/* Everything is looked through again: nothing is counted yet. */
void patterns_restart(struct patterns *patterns);

/* One of them fits the library's file name; counts it. */
bool patterns_want_library(struct patterns *patterns, const char *file);

/* One of them fits a function of that library that can be traced; counts it. */
bool patterns_want(struct patterns *patterns, const char *file, const char *symbol);

/* What they have found as one line, for the file. */
void patterns_describe(const struct patterns *patterns, char *ret_text, size_t size);

#endif
