/* SPDX-License-Identifier: MIT */
/*
 * Source files of the traced program: what they are called in a report, and the lines that
 * the trace keeps of them.
 *
 * Paths below a root are shown without it: those that begin with it, and those of which the
 * end is there (recorded in another folder or on another machine). Files of installed packages
 * keep their paths. Lines of a file that was changed after the recording began are not
 * given out: they may not be what ran.
 *
 * Not thread-safe; an all-zero struct is empty and maps nothing.
 */
#ifndef ANALYZER_SOURCES_SOURCES_H
#define ANALYZER_SOURCES_SOURCES_H

#include <stddef.h>

#include "collector/base/vec.h"
#include "collector/format/definition.h"

#define SOURCES_BYTES_LIMIT (32u << 20) /* of lines; more is left out */

struct sources_lines {
	const char *path; /* within text */
	char *text;       /* owned */
	size_t size;      /* of the lines, which begin text */
	uint64_t first, changed_ns;
};

struct sources {
	char *root, *real_root; /* with a slash at the end; owned, NULL: none */
	uint64_t begin_ns;      /* of the recording, CLOCK_REALTIME; 0: not known */
	size_t bytes;
	VEC(struct sources_lines) lines;
};

void sources_release(struct sources *sources);

/* 0; -errno when the folder is not there; -ENOMEM. */
int sources_set_root(struct sources *sources, const char *folder);

/* The path as it is to be shown: an end of it, maybe the whole. */
const char *sources_path(const struct sources *sources, const char *path);

/* 0 or -ENOMEM. */
int sources_add(struct sources *sources, const struct meta_LINES *lines);

/*
 * A line of a file, without its end; path as it is shown. NULL: the trace does not have it. sources
 * may be NULL.
 */
const char *sources_line(
	const struct sources *sources, const char *path, uint64_t line, size_t *ret_length);

#endif
