/* SPDX-License-Identifier: MIT */
/*
 * The text of source lines that events come from, kept in the trace, so that a report made
 * elsewhere or later can show them. Which lines those are is known from the places that
 * were defined: once a second the new ones are looked at, and the lines around each go into
 * the trace, in whole groups of EXCERPT_LINES lines, each group once. Only regular files
 * are read, at most EXCERPT_FILE_BYTES of them, and no more text is kept than was allowed.
 * Installed packages get half of that, and nothing for what they do when they are imported: stacks
 * of a slow import name hundreds of their lines, and those of the program, which come later, are
 * what a report is about.
 *
 * A file may have changed since it was loaded: its size and the time of its last change go
 * with the text, and whoever shows it decides. Drain thread only.
 */
#ifndef COLLECTOR_WRITE_EXCERPT_H
#define COLLECTOR_WRITE_EXCERPT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/buffer/options.h"
#include "collector/write/writer.h"

#define EXCERPT_LINES      8u /* in a group */
#define EXCERPT_AROUND     3u /* lines before and after a place's own */
#define EXCERPT_INSTALLED  1u /* the same of an installed package */
#define EXCERPT_LINE_BYTES 400u
#define EXCERPT_FILE_BYTES (1u << 20)
#define EXCERPT_GROUPS     4096u /* power of two; at most half of it is used */

struct excerpt {
	const char *folder;
	uint32_t bytes_left;
	uint32_t installed_bytes_left;   /* of those, for installed packages */
	uint32_t place;                  /* the last one that was looked at */
	uint32_t count, installed_count; /* of groups */
	uint64_t groups[EXCERPT_GROUPS]; /* name of the file and number of the group; 0: free */
};

/* A session begins. */
void excerpt_begin(struct excerpt *excerpt, const struct collector_options *options);

/* Lines of places that are new, of some of them unless all are wanted. */
void excerpt_write(struct excerpt *excerpt, struct writer *writer, uint64_t now_ns, bool all);

#endif
